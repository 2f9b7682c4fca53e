package dev.holdfast.backuptarget.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * Conformance tests of backup targets. A test class extends the kit and implements only {@link
 * #open}.
 */
public abstract class ObjectStoreKit {
  private ObjectStore store;

  /** Called by JUnit. */
  protected ObjectStoreKit() {}

  /**
   * Opens a store over the target of one test. The first call in a test finds no object; a later
   * call in the same test opens a second store over the same target.
   *
   * @return a store that the kit closes, not null
   * @throws Exception when the store cannot be opened
   */
  protected abstract ObjectStore open() throws Exception;

  @BeforeEach
  final void openStore() throws Exception {
    store = open();
  }

  @AfterEach
  final void closeStore() {
    if (store != null) {
      store.close();
    }
  }

  /** Content of objects: put, get and stat. */
  @Nested
  final class Content extends ContentTopic {
    Content() {
      super(ObjectStoreKit.this);
    }
  }

  /** Conditions, replacements and concurrent writers. */
  @Nested
  final class Writers extends WritersTopic {
    Writers() {
      super(ObjectStoreKit.this);
    }
  }

  /** Listing and deletion. */
  @Nested
  final class Listing extends ListingTopic {
    Listing() {
      super(ObjectStoreKit.this);
    }
  }

  final ObjectStore store() {
    return store;
  }

  final StoredObject put(String key, byte[] content) throws StorageException {
    return store.put(key, List.of(ByteBuffer.wrap(content)), PutOptions.REPLACE);
  }

  final byte[] get(String key, long offset, int length) throws StorageException {
    byte[] bytes = new byte[length];
    store.get(key, offset, ByteBuffer.wrap(bytes));
    return bytes;
  }

  final List<String> list(String prefix, String after) throws StorageException {
    List<String> keys = new ArrayList<>();
    store.list(prefix, after, found -> keys.add(found.key()));
    return keys;
  }

  static byte[] bytes(int size, int seed) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  static void assertFails(String rule, ErrorCode expected, ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    assertThat(thrown).as("%s: what the call throws", rule).isInstanceOf(StorageException.class);
    assertThat(((StorageException) thrown).code())
        .as("%s: code of \"%s\"", rule, thrown.getMessage())
        .isEqualTo(expected);
  }
}
