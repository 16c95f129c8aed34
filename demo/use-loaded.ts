import { useEffect, useState } from 'preact/hooks';

/** Result of `load` once it is available. Each function is called once, by the first component that needs it. */
export function useLoaded<T>(load: (() => Promise<T>) | undefined): T | undefined {
  const [loaded, setLoaded] = useState<{ readonly by: typeof load; readonly value: T }>();
  useEffect(() => {
    let isWanted = true;
    void load?.().then((value) => isWanted && setLoaded({ by: load, value }));
    return () => void (isWanted = false);
  }, [load]);
  return loaded?.by === load ? loaded?.value : undefined;
}
