import { dismiss, notes } from '../core/notes.js';

/** What actions have said. */
export function Notes() {
  return (
    <div class="notes" role="log" aria-label="Messages">
      {notes.value.map(({ id, text, isError, more }) => (
        <div key={id} class={`note ${isError ? 'bad' : ''}`} role={isError ? 'alert' : undefined}>
          <span>
            {text}
            {more.map((line) => (
              <small key={line}>{line}</small>
            ))}
          </span>
          <button type="button" class="ghost" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
