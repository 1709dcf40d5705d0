/** Repositories: where the work happens, and how to add one: what registering would do is said before it is done. */
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
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
      <Heading title="Repositories" />
      <Read of={repositories}>
        {(all) =>
          all.length === 0 ? (
            <Empty>None is registered.</Empty>
          ) : (
            <ul class="rows">
              {all.map(({ repositoryId, path: at, label, registeredAt }) => (
                <li key={repositoryId} class="row">
                  <b>{titleOf(label ?? at.slice(at.lastIndexOf('/') + 1))}</b>
                  <code class="grow cut">{titleOf(at, 300)}</code>
                  <When at={registeredAt} />
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
                  {does} {files > 0 && `${many(files, 'file')} would be taken in.`}
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
