import { useEffect, useState } from 'preact/hooks';
import { type LineColours, coloursOf } from './colours.js';

/** Colours of a text; undefined until they are there, and where there are none. */
export function useColours(path: string, text: string): LineColours | undefined {
  const [colours, setColours] = useState<LineColours | undefined>(undefined);
  useEffect(() => {
    let isGone = false;
    setColours(undefined);
    void coloursOf(path, text).then((found) => {
      if (!isGone && found !== undefined) setColours(found);
    });
    return () => void (isGone = true);
  }, [path, text]);
  return colours;
}
