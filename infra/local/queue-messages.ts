import { createHash } from 'node:crypto';
import { ServiceError } from './table/errors.ts';

/** A message of a queue as the database has it. */
export type Row = {
  id: number;
  body: string;
  owner: string;
  attributes: string;
  sent: number;
  receives: number;
  first_received: number;
};

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Returns the id of a message as SQS has it. */
export const idOf = (row: number): string => `00000000-0000-4000-8000-${row.toString(16).padStart(12, '0')}`;

export const receiptOf = (handle: string): [number, number] => {
  const [, id, receives] = /^(\d+)-(\d+)$/.exec(handle) ?? [];
  if (!id)
    throw new ServiceError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
    );
  return [Number(id), Number(receives)];
};

export const messageOf = ({ id, body, owner, attributes, sent, receives, first_received: first }: Row): object => {
  const given = JSON.parse(attributes) as object;
  return {
    MessageId: idOf(id),
    ReceiptHandle: `${id}-${receives}`,
    Body: body,
    MD5OfBody: md5(body),
    Attributes: {
      SenderId: 'local',
      SentTimestamp: String(sent),
      ApproximateReceiveCount: String(receives),
      ApproximateFirstReceiveTimestamp: String(first),
      ...(owner && { MessageGroupId: owner }),
    },
    ...(Object.keys(given).length > 0 && { MessageAttributes: given }),
  };
};
