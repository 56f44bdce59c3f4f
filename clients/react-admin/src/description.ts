// What the server has: collections, their fields and the length of a page, from its own OpenAPI document.

/** One collection, as far as a data provider must know it. */
export interface Collection {
  name: string;
  /** The names of its fields, and whether they are integers. */
  fields: Map<string, { isInteger: boolean }>;
  /** How its list is cut into pages; `null` where it comes whole. */
  pages: { size: number; offset: string; count: string } | null;
  /** How a record is changed. */
  update: 'PUT' | 'PATCH';
}

export type Description = Map<string, Collection>;

/** The parts of an OpenAPI document that are read here. */
interface Document {
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, { properties?: Record<string, { type?: string | string[] }> }>;
    parameters?: Record<string, { name: string; schema: { maximum?: number } }>;
  };
}

export function describe(document: unknown): Description {
  const { paths, components } = document as Document;
  const description: Description = new Map();
  for (const path of Object.keys(paths)) {
    const name = /^\/([a-z][a-z0-9_]*)\/$/.exec(path)?.[1];
    const record = name && paths[`/${name}/{id}/`];
    if (!name || !record) continue;
    const shown = components.schemas[`${name}-record`] ?? components.schemas[`${name}-create`];
    const offset = components.parameters?.[`${name}-page-offset`];
    const count = components.parameters?.[`${name}-page-count`];
    description.set(name, {
      name,
      fields: new Map(
        Object.entries(shown?.properties ?? {})
          .filter(([field]) => field !== 'id' && field !== 'ressource_uri')
          .map(([field, { type }]) => [field, { isInteger: [type].flat().includes('integer') }]),
      ),
      pages: offset && count ? { size: count.schema.maximum ?? 1, offset: offset.name, count: count.name } : null,
      update: 'put' in record || !('patch' in record) ? 'PUT' : 'PATCH',
    });
  }
  return description;
}
