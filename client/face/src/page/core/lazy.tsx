/** Views that are loaded when they are first shown. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

export type { ComponentType };

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<{ readonly view?: ComponentType<Props>; readonly error?: string }>({});
  let isAsked = false;
  return function Lazy(props: Props) {
    const { view: View, error } = loaded.value;
    if (View) return <View {...props} />;
    if (error !== undefined)
      return (
        <p class="failed" role="alert">
          This view could not be loaded: {error}.{' '}
          <a href={location.pathname} target="_self">
            Load the page anew
          </a>
        </p>
      );
    if (!isAsked) {
      isAsked = true;
      load().then(
        (view) => (loaded.value = { view }),
        (reason: unknown) => (loaded.value = { error: String(reason) }),
      );
    }
    return <p class="quiet">Loading …</p>;
  };
}
