import { useEffect, useState } from 'preact/hooks';

/** What `load` brings, once it is there; each function is called once, for the first who asks. */
export function useLoaded<T>(load: (() => Promise<T>) | undefined): T | undefined {
  const [loaded, setLoaded] = useState<{ readonly by: typeof load; readonly value: T }>();
  useEffect(() => {
    let isWanted = true;
    void load?.().then((value) => isWanted && setLoaded({ by: load, value }));
    return () => void (isWanted = false);
  }, [load]);
  return loaded?.by === load ? loaded?.value : undefined;
}
