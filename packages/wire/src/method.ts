import type { MethodDefinition } from '@grpc/proto-loader';

/** A message as it may be sent: what is absent has its default, and a oneof needs no name beside its member. */
export type Init<T> = T extends string | number | boolean | Uint8Array
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Init<Element>[]
    : { readonly [Key in keyof T]?: Init<NonNullable<T[Key]>> };

/** One RPC with its path and its serialisers; `Request` and `Response` are the messages as received. */
export type Method<Request, Response> = MethodDefinition<Init<Request>, Init<Response>, Request, Response>;
