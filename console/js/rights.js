// What an access key may do, in words.

/** @param {string} scope @param {import('./model.js').Collection[]} collections */
function rightOf(scope, collections) {
  const [name, verb] = scope.split(':');
  const what = name === '*' ? 'everything' : (collections.find((one) => one.name === name)?.label ?? name);
  return !verb ? 'Everything' : `${verb === 'read' ? 'Read' : 'Write'} ${what}`;
}

/** @param {string[]} scopes @param {boolean} isAdmin @param {import('./model.js').Collection[]} collections */
export function rightsOf(scopes, isAdmin, collections) {
  return [...scopes.map((scope) => rightOf(scope, collections)), ...(isAdmin ? ['Manage keys'] : [])];
}

/** @param {string} moment */
export function isOver(moment) {
  return Date.parse(moment) <= Date.now();
}
