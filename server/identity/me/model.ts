import { type Static, Type } from "@sinclair/typebox";

const Named = Type.Object({ id: Type.String(), name: Type.String() });

export const Me = Type.Object({
  user: Type.Union([Type.Composite([Named, Type.Object({ email: Type.String() })]), Type.Null()]),
  org: Type.Composite([
    Named,
    Type.Object({ slug: Type.String(), role: Type.Union([Type.String(), Type.Null()]) }),
  ]),
  scopes: Type.Array(Type.String()),
});
export type Me = Static<typeof Me>;
