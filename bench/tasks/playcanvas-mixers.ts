export {};export async function benchPeers(..._:any[]):Promise<object>{return {}}
