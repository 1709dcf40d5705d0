import { dismiss, notes, takeBack } from '../core/notes.js';

/** What actions have said. */
export function Notes() {
  return (
    <div class="notes" role="log" aria-label="Messages">
      {notes.value.map((one) => {
        const { id, text, isError, more, undo } = one;
        return (
          <div key={id} class={`note ${isError ? 'bad' : ''}`} role={isError ? 'alert' : undefined}>
            <span>
              {text}
              {more.map((line) => (
                <small key={line}>{line}</small>
              ))}
            </span>
            {undo && (
              <button type="button" onClick={() => takeBack(one)}>
                Undo
              </button>
            )}
            <button type="button" class="ghost" aria-label="Dismiss" onClick={() => dismiss(id)}>
              ×
            </button>
          </div>
        );
      })}
    </div>
  );
}
