// Records as react-admin wants them, and what is known about them.
import type { Identifier, RaRecord } from 'react-admin';

/** A record as the server shows it. */
export interface Shown {
  ressource_uri: string;
  [field: string]: unknown;
}

/** The record with an `id`. A collection may hide it; its address never does. */
export function withId(shown: Shown): RaRecord {
  const text = shown.ressource_uri.split('/').at(-2) ?? '';
  const number = Number(text);
  return { ...shown, id: Number.isSafeInteger(number) ? number : text };
}

/** What differs from what was there, without what the server assigns. */
export function changes(data: Record<string, unknown>, previous: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(data).filter(([field, value]) => field !== 'id' && field !== 'ressource_uri' && value !== undefined);
  return Object.fromEntries(given.filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(previous[field])));
}

/** How many records are remembered. */
const MOST = 1000;

/**
 * The `ETag`s of records by their content. A tag is used only for the very content that the person has seen: what
 * react-admin says was there before.
 */
export class Tags {
  private readonly seen = new Map<string, { content: string; etag: string }>();

  remember(resource: string, record: RaRecord, etag: string | null): void {
    if (!etag) return;
    const name = `${resource}/${record.id}`;
    this.seen.delete(name);
    this.seen.set(name, { content: content(record), etag });
    if (this.seen.size > MOST) this.seen.delete(this.seen.keys().next().value as string);
  }

  /** The header that keeps anybody from overwriting what they have not seen. */
  match(resource: string, id: Identifier, previous: Record<string, unknown> | undefined): Record<string, string> {
    const known = this.seen.get(`${resource}/${id}`);
    return known && previous && content(previous) === known.content ? { 'If-Match': known.etag } : {};
  }
}

function content(record: Record<string, unknown>): string {
  return JSON.stringify(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}
