/** Returns the metrics in a log: its lines in CloudWatch's embedded metric format, as Powertools writes them. */
export const metricsIn = (logs: string) =>
  logs
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"CloudWatchMetrics"'))
    .map((line) => {
      const record = JSON.parse(line);
      const [{ Namespace, Dimensions, Metrics }] = record._aws.CloudWatchMetrics;
      const [{ Name, Unit }] = Metrics;
      const dimensions = Object.fromEntries(Dimensions[0].map((each: string) => [each, record[each]]));
      return { namespace: Namespace, name: Name, unit: Unit, dimensions, value: record[Name] };
    });
