import { useEffect, useRef, useState } from 'preact/hooks';

/** Returns a reference for an element, and whether its content is larger than the element in this direction. */
export const useOverflow = <Box extends HTMLElement>(direction: 'Width' | 'Height') => {
  const box = useRef<Box>(null);
  const [overflows, setOverflows] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setOverflows(element[`scroll${direction}`] > element[`client${direction}`] + 1);
    const observer = new ResizeObserver(measure);
    for (const each of [element, ...element.children]) observer.observe(each);
    return () => observer.disconnect();
  }, [direction]);
  return [box, overflows] as const;
};
