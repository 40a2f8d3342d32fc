import type { Environment as Facts } from '../../../shared/environment.ts';
import { optionNames, options } from '../../../shared/options/audit-options.ts';
import type { RunView } from '../../../shared/run.ts';
import { grouped } from '../../../shared/text.ts';
import { valuesText } from '../../words/facts.ts';
import { counted } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { cpuWaitText } from '../../words/words.ts';
import { DataTable } from '../ui/data-table.tsx';
import { SectionTable } from '../ui/section.tsx';

/** Requests of the page that the service blocked. */
export const Blocked = ({ run }: { run: RunView }) => (
  <SectionTable
    section={{
      id: 'blocked',
      title: counted(run.blockedRequestCount, 'blocked request'),
      help: 'These requests of the page failed, because the service does not let a page reach every address.',
      columns: ['Host', 'Port', 'Requests', 'Reason'],
      rows: run.blockedRequests.map(({ host, port, count, reason }) => ({
        name: host,
        cells: [`${port}`, `${count}`, reason],
      })),
    }}
  />
);

/** Every audit of the run. */
export const Attempts = ({ run }: { run: RunView }) => {
  if (run.attempts.length === 0) return null;
  return (
    <>
      <h2 id="attempts">Attempts</h2>
      <DataTable labelled="attempts" columns={['Attempt', 'Started', 'Time', 'Result']}>
        {run.attempts.map((each) => (
          <tr key={each.number}>
            <th scope="row">{each.number}</th>
            <td>{localTime(each.startedAt)}</td>
            <td>{each.seconds.toFixed(1)} s</td>
            <td>
              {each.code === null ? <span class="pass">✔ sample</span> : <span class="poor">✗ {each.code}</span>}
              {each.auditCode && (
                <>
                  {' '}
                  <code>{each.auditCode}</code>
                </>
              )}
              {each.variant === 'against' && <span class="muted"> second variant</span>}
              {each.contended && <span class="muted"> other processes used the CPU</span>}
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
};

const percent = (share: number | null) => (share === null ? '–' : `${(share * 100).toFixed(0)} %`);

const throttlingOf = ({ throttling, throttlingValues: values }: Facts) => {
  if (!values) return throttling === 'provided' ? 'none' : (throttling ?? '–');
  return `${throttling}: ${valuesText(values)}`;
};

const benchmarkOf = ({ benchmarkIndex, benchmarkedAt }: Facts) => {
  if (benchmarkIndex === null) return '–';
  const index = grouped(benchmarkIndex);
  return benchmarkedAt ? `${index}, measured at ${localTime(benchmarkedAt)}` : index;
};

/** Returns the options that change the results, by their titles. The device and the throttling have words of their own. */
const optionRows = (environment: Facts) =>
  optionNames.flatMap((name) => {
    if (name === 'device' || name === 'throttling' || !(name in environment)) return [];
    const value: unknown = environment[name as keyof Facts];
    const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
    return text === '' ? [] : [[options[name].title, text] as const];
  });

/** Browser and machine of the run. */
export const Environment = ({ run }: { run: RunView }) => {
  const { environment } = run;
  if (!environment) return null;
  const { cpuCount, memoryMiB, contended } = environment;
  const facts: (readonly [name: string, value: string])[] = [
    ['Browser', environment.chromium],
    ['Throttling', throttlingOf(environment)],
    ...optionRows(environment),
    [
      'Machine',
      `${cpuCount ?? '–'} CPUs, ${memoryMiB === null ? '–' : grouped(memoryMiB)} MiB, ${environment.kernel ?? '–'}`,
    ],
    ['Fingerprint of the machine', environment.host ?? '–'],
    ['CPU benchmark', benchmarkOf(environment)],
    ['CPU used by others', percent(environment.cpuBusy)],
    ['CPU taken by the hypervisor', percent(environment.cpuStolen)],
    ['Wait for a CPU', cpuWaitText(environment)],
    [
      'The machine was busy',
      contended === null ? '–' : contended ? "yes: don't compare the performance of this run" : 'no',
    ],
  ];
  const rows = facts.map(([name, value]) => ({ name, cells: [value] }));
  return <SectionTable section={{ id: 'environment', title: 'Environment', columns: ['Fact', 'Value'], rows }} />;
};
