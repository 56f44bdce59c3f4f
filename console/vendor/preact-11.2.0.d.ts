// The types of what the console uses, written by hand.
export interface Signal<T> {
  value: T;
  peek(): T;
  subscribe(listener: (value: T) => void): () => void;
}
export type Cleanup = void | (() => void);
export type Setter<T> = (next: T | ((before: T) => T)) => void;
export function html(strings: TemplateStringsArray, ...values: unknown[]): any;
export function render(tree: any, parent: Element): void;
export function signal<T>(value: T): Signal<T>;
export function useEffect(effect: () => Cleanup, inputs?: readonly unknown[]): void;
export function useLayoutEffect(effect: () => Cleanup, inputs?: readonly unknown[]): void;
export function useMemo<T>(make: () => T, inputs: readonly unknown[]): T;
export function useRef<T>(first: T): { current: T };
export function useState<T>(first: T | (() => T)): [T, Setter<T>];
