import type { Stack } from 'aws-cdk-lib';
import { resourcesOf } from './support.ts';

/** Returns the environment variables of the worker on an instance, from the script of its launch template. */
export const workerVariablesOf = (stack: Stack): Record<string, string> => {
  const [template] = resourcesOf(stack, 'AWS::EC2::LaunchTemplate');
  const script: string = template?.LaunchTemplateData.UserData['Fn::Base64'];
  const [, lines = ''] = /<<'END'\n([\s\S]+?)\nEND\n/.exec(script) ?? [];
  const queues = resourcesOf(stack, 'AWS::SQS::Queue');
  const urlOf = (id: string) =>
    `https://sqs.${stack.region}.amazonaws.com/123456789012/${queues.find((queue) => queue.id === id)?.QueueName}`;
  return Object.fromEntries(
    lines.split('\n').map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=').replace(/^<(.+)>$/, (_, id) => urlOf(id))];
    }),
  );
};
