// Fails to compile if the page uses a field that the API does not have or that has another type there.
// The build generates target/openapi.d.ts from openapi.json. A test of the API server compares that file with the API.
import type { components } from '../../../target/openapi';
import type { KIND_NAMES, Kinds, Plural } from './types';

type Schemas = components['schemas'];
type Schema<P extends Plural> = Schemas[`dev.holdfast.v1.${(typeof KIND_NAMES)[P]}` & keyof Schemas];

/** Paths of the fields of the page's type that the API's type does not have in this form; never if all fields match. */
type Problems<Page, Api, Path extends string> = [Page, Api] extends [(infer E)[], (infer A)[]]
  ? Problems<E, A, `${Path}[]`>
  : [Page, Api] extends [object, object]
    ? FieldProblems<Page, Api, Path>
    : [Api] extends [Page]
      ? never
      : [Page] extends [Api]
        ? never
        : Path;

type FieldProblems<Page, Api, Path extends string> = string extends keyof Page
  ? string extends keyof Api
    ? Problems<NonNullable<Page[string & keyof Page]>, NonNullable<Api[string & keyof Api]>, `${Path}.*`>
    : Path
  : {
      [F in keyof Page & string]: F extends keyof Api ? Problems<NonNullable<Page[F]>, NonNullable<Api[F]>, `${Path}.${F}`> : `${Path}.${F}`;
    }[keyof Page & string];

type None<Fields extends never> = Fields;

/** A compile error here names the fields. */
export type UnknownFields = None<{ [P in Plural]: Problems<Omit<Kinds[P], 'metadata' | 'kind' | 'apiVersion'>, NonNullable<Schema<P>>, P> }[Plural]>;
