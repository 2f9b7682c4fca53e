package dev.holdfast.backuptarget;

/** Abilities of an object store beyond the mandatory calls. */
public enum StoreCapability {
  /** {@link PutOptions#ifAbsent()} holds also against writers in other processes. */
  CREATE_IF_ABSENT,
  /** {@link PutOptions#ifTag()} holds also against writers in other processes. */
  REPLACE_IF_SAME,
  /** {@link PutOptions#retainUntil()} is enforced by the target. */
  RETENTION
}
