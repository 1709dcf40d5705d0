/** Repositories: where the work happens, and how to add one: what registering would do is said before it is done. */
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { repositoryName } from '../parts/repository-name.js';
import { titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, many } from '../parts/ui.js';

export function Repositories() {
  const repositories = useQuery('repository.list', {});
  const [path, setPath] = useState('');
  const isPath = path.startsWith('/') || /^[a-z]:[\\/]/i.test(path);
  const plan = useQuery('repository.plan', { path }, isPath);
  return (
    <>
      <Heading title="Repositories">
        {(repositories.data?.length ?? 0) > 0 && (
          <a class="button main" href="/goals/new">
            Set a goal
          </a>
        )}
      </Heading>
      <Read of={repositories}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              None is registered yet. Agents work in folders that you name: on branches of their own, beside yours.
            </Empty>
          ) : (
            <ul class="rows">
              {all.map((one) => (
                <li key={one.repositoryId} class="row">
                  <b>{repositoryName(one)}</b>
                  <code class="grow cut">{titleOf(one.path, 300)}</code>
                  <When at={one.registeredAt} />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
      <h2>Register a folder</h2>
      <div class="form">
        <Field
          label="Folder on the machine of the studio"
          name="path"
          value={path}
          onInput={setPath}
          hint="An absolute path."
        />
        {isPath && (
          <Read of={plan}>
            {({ does, files, secrets }) => (
              <>
                <p>
                  {sentence(does)} {files > 0 && `${many(files, 'file')} would be taken in.`}
                </p>
                {secrets.length > 0 && (
                  <p>Left out, since they look like secrets: {secrets.map((one) => titleOf(one)).join(', ')}</p>
                )}
                <Does
                  label="Register it"
                  kind="main"
                  operation="repository.register"
                  input={{ path }}
                  done="Registered"
                  after={() => setPath('')}
                />
              </>
            )}
          </Read>
        )}
      </div>
    </>
  );
}

/** What would be done, as a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
