import { z } from 'zod';
import { BadgeItem } from '../../../functions/lib/store/badges.ts';
import { Build, ProjectSettings, SETTINGS, Unsealed } from '../../../functions/lib/store/builds.ts';
import { DeliveryItem } from '../../../functions/lib/store/deliveries.ts';
import { FieldDataItem } from '../../../functions/lib/store/field-data.ts';
import { FormatItem } from '../../../functions/lib/store/format.ts';
import { CheckItem, RunItem } from '../../../functions/lib/store/items.ts';
import { Page } from '../../../functions/lib/store/latest.ts';
import { ShareItem } from '../../../functions/lib/store/links.ts';
import { unpack } from '../../../functions/lib/store/packed.ts';
import { RegionItem } from '../../../functions/lib/store/regions.ts';
import { ScheduleItem } from '../../../functions/lib/store/schedule-items.ts';
import { WebhookItem } from '../../../functions/lib/store/webhooks.ts';
import { ApiKey } from '../../../shared/service/keys.ts';
import { partitions } from '../../../shared/service/partitions.ts';

type Fields = Readonly<Record<string, unknown>>;

const Mark = z.object({ id: z.string(), owner: z.string(), erasedAt: z.iso.datetime(), dueAt: z.string() });
const Trend = z.object({ owner: z.string(), createId: z.string(), listed: z.unknown().transform(unpacked).optional() });
const Pointer = z.object({ checkId: z.uuid() });
const OpenCheck = z.object({ createId: z.string(), expiresAt: z.number() });
const Usage = z.object({ openAtMost: z.number().optional(), expiresAt: z.number().optional() });
const Listed = z.object({ listed: z.unknown().transform(unpacked), expiresAt: z.number() });
const Latest = z.object({ results: z.preprocess(unpack, Page), expiresAt: z.number() });

function unpacked(bytes: unknown, context: z.RefinementCtx): unknown {
  const value = bytes === undefined ? null : unpack(bytes);
  if (value !== undefined) return value;
  context.addIssue('not compressed JSON');
  return z.NEVER;
}

/** Schema of each kind of items, by the beginnings of their keys. The key table is in functions/lib/store/items.ts. */
const schemas: readonly [string, string, z.ZodType | ((item: Fields) => z.ZodType)][] = [
  [partitions.check, 'CHECK', ({ erasedAt }) => (erasedAt ? Mark : CheckItem)],
  [partitions.check, 'RUN#', RunItem],
  [partitions.check, 'TREND#', Trend],
  [partitions.run, 'RUN', Pointer],
  [partitions.share, 'SHARE', ShareItem],
  [partitions.owner, 'USAGE', Usage],
  [partitions.owner, 'WEBHOOKS', z.object({ createdAt: z.string() })],
  [partitions.openCheck, '', OpenCheck],
  [partitions.key, 'KEY', ApiKey],
  [partitions.region, 'REGION', RegionItem],
  [partitions.webhook, '', WebhookItem],
  [partitions.delivery, '', DeliveryItem],
  [partitions.schedule, '', ScheduleItem],
  [partitions.latest, '', Latest],
  [partitions.fieldData, '', FieldDataItem],
  [partitions.mark, '', Listed],
  [partitions.badge, 'BADGE', BadgeItem],
  [partitions.build, SETTINGS, ProjectSettings],
  [partitions.build, '', ({ sent }) => Build.extend({ sent: z.literal(String(sent)) })],
  [partitions.upload, '', z.object({ upload: z.unknown().transform(unpacked), expiresAt: z.number() })],
  [partitions.unsealed, '', Unsealed],
  [partitions.format, partitions.format, FormatItem],
];

/** Returns why an item is not as its schema says, or undefined. */
export const faultOf = (pk: string, sk: string, item: Fields): string | undefined => {
  const [, , schema] = schemas.find(([partition, sort]) => pk.startsWith(partition) && sk.startsWith(sort)) ?? [];
  if (!schema) return 'no kind of item has such a key';
  const { error } = (typeof schema === 'function' ? schema(item) : schema).safeParse(item);
  return error && z.prettifyError(error).replaceAll(/\s+/g, ' ');
};
