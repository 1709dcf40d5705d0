/** Colours of the page: those of the system, or what this browser was told. */
import { signal, useSignalEffect } from '@preact/signals';

type Theme = 'auto' | 'light' | 'dark';
const theme = signal<Theme>(themeIn(localStorage.getItem('weft.theme')));

function themeIn(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'auto';
}

function nextTheme(): void {
  const order: readonly Theme[] = ['auto', 'light', 'dark'];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'auto';
  localStorage.setItem('weft.theme', theme.value);
}

export function ThemeButton() {
  useSignalEffect(() => {
    document.documentElement.dataset['theme'] = theme.value;
  });
  const label = `Colours: ${theme.value}`;
  return (
    <button type="button" class="ghost" onClick={nextTheme} aria-label={label} title={label}>
      ◐
    </button>
  );
}
