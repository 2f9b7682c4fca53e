package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Finds out whether a server honours the conditions of a put, by an object of its own that no
 * listing shows. Many servers accept the conditions and ignore them. It asks once, when the answer
 * is first needed; a server that cannot be asked is taken for one that ignores them.
 */
final class ConditionProbe {
  private final Sending sending;
  private final Removal removal;
  private Set<StoreCapability> honoured;

  ConditionProbe(Sending sending, Removal removal) {
    this.sending = sending;
    this.removal = removal;
  }

  /** Puts an object without a check of its key. */
  @FunctionalInterface
  interface Sending {
    StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException;
  }

  /** Deletes objects without a check of their keys. */
  @FunctionalInterface
  interface Removal {
    void delete(List<String> keys) throws StorageException;
  }

  synchronized Set<StoreCapability> honoured() {
    if (honoured == null) {
      honoured = ask(ObjectKeys.RESERVED + "conditions-" + UUID.randomUUID());
    }
    return honoured;
  }

  private Set<StoreCapability> ask(String key) {
    Set<StoreCapability> found = EnumSet.noneOf(StoreCapability.class);
    try {
      StoredObject present = put(key, 1, PutOptions.REPLACE);
      try {
        if (conflicts(key, PutOptions.IF_ABSENT)) {
          found.add(StoreCapability.CREATE_IF_ABSENT);
        }
        if (conflicts(key, sameAs("0" + present.tag())) && !conflicts(key, sameAs(present.tag()))) {
          found.add(StoreCapability.REPLACE_IF_SAME);
        }
      } finally {
        removal.delete(List.of(key));
      }
    } catch (StorageException e) {
      // Without an answer the conditions are not relied on; the next call tells what is wrong.
      return Set.copyOf(found);
    }
    return Set.copyOf(found);
  }

  private boolean conflicts(String key, PutOptions options) throws StorageException {
    try {
      put(key, 2, options);
      return false;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.CONFLICT) {
        return true;
      }
      throw e;
    }
  }

  private StoredObject put(String key, int value, PutOptions options) throws StorageException {
    return sending.put(key, List.of(ByteBuffer.wrap(new byte[] {(byte) value})), options);
  }

  private static PutOptions sameAs(String tag) {
    return new PutOptions(false, Optional.of(tag), Optional.empty());
  }
}
