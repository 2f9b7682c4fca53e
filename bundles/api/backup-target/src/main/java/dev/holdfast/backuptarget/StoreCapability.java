package dev.holdfast.backuptarget;

/** Abilities of an object store beyond the mandatory calls. */
public enum StoreCapability {
  /** {@link PutOptions#ifAbsent()} is atomic with respect to writers in other processes. */
  CREATE_IF_ABSENT,
  /** {@link PutOptions#ifTag()} is atomic with respect to writers in other processes. */
  REPLACE_IF_SAME,
  /** The target enforces {@link PutOptions#retainUntil()}. */
  RETENTION
}
