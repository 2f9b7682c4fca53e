package dev.holdfast.backuptarget.testkit;

import static dev.holdfast.backuptarget.testkit.ObjectStoreKit.assertFails;
import static dev.holdfast.backuptarget.testkit.ObjectStoreKit.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Content of objects: put, get and stat. */
abstract class ContentTopic {
  private static final int MIB = 1 << 20;

  /** Permitted difference between the times of an answer and of the object. */
  private static final Duration CLOCKS = Duration.ofSeconds(10);

  private final ObjectStoreKit kit;

  ContentTopic(ObjectStoreKit kit) {
    this.kit = kit;
  }

  @Test
  final void getReturnsWhatPutStored() throws Exception {
    byte[] content = bytes(3 * MIB + 5, 1);
    kit.put("volumes/a/object", content);

    assertThat(kit.get("volumes/a/object", 0, content.length))
        .as("the whole object, byte by byte")
        .isEqualTo(content);
  }

  @Test
  final void buffersAreStoredInOrderFromPositionToLimit() throws Exception {
    ByteBuffer first = ByteBuffer.wrap(new byte[] {9, 1, 2, 9}, 1, 2);
    ByteBuffer second = ByteBuffer.allocateDirect(3).put(new byte[] {3, 4, 9}).flip().limit(2);
    kit.store().put("joined", List.of(first, second), PutOptions.REPLACE);

    assertThat(kit.get("joined", 0, 4)).as("the bytes of both buffers").containsExactly(1, 2, 3, 4);
    assertThat(List.of(first.position(), first.remaining(), second.position(), second.remaining()))
        .as("positions and remaining bytes after the put")
        .containsExactly(1, 2, 0, 2);
  }

  @Test
  final void emptyObjectExists() throws Exception {
    kit.store().put("empty", List.of(), PutOptions.REPLACE);

    assertThat(kit.store().stat("empty")).as("stat of an empty object").isPresent();
    assertThat(kit.get("empty", 0, 0)).isEmpty();
  }

  @Test
  final void rangeOfAnObjectIsRead() throws Exception {
    kit.put("range", new byte[] {0, 1, 2, 3, 4, 5});

    assertThat(kit.get("range", 2, 3)).as("three bytes from offset 2").containsExactly(2, 3, 4);
    assertThat(kit.get("range", 5, 1)).as("the last byte").containsExactly(5);
  }

  @Test
  final void readingBeyondTheEndFailsWithIo() throws Exception {
    kit.put("short", new byte[10]);

    assertFails("range that begins inside", ErrorCode.IO, () -> kit.get("short", 8, 3));
    assertFails("range that begins at the end", ErrorCode.IO, () -> kit.get("short", 10, 1));
    assertFails("range far behind", ErrorCode.IO, () -> kit.get("short", 1L << 40, 1));
  }

  @Test
  final void absentObjectIsNotFound() throws Exception {
    assertFails("get of an absent object", ErrorCode.NOT_FOUND, () -> kit.get("absent", 0, 1));
    assertFails("get below an object", ErrorCode.NOT_FOUND, () -> kit.get("no/such", 0, 1));
    assertThat(kit.store().stat("absent")).as("stat of an absent object").isEmpty();
  }

  @Test
  final void statDescribesWhatPutReturned() throws Exception {
    StoredObject stored = kit.put("described", bytes(77, 2));

    assertThat(stored.key()).isEqualTo("described");
    assertThat(stored.size()).as("size that put returned").isEqualTo(77);
    StoredObject found = kit.store().stat("described").orElseThrow();
    assertThat(List.of(found.key(), found.size(), found.tag()))
        .as("stat after the put")
        .isEqualTo(List.of(stored.key(), stored.size(), stored.tag()));
    assertThat(stored.modified())
        .as("time that put returned, beside that of stat")
        .isBetween(found.modified().minus(CLOCKS), found.modified().plus(CLOCKS));
  }

  @Test
  final void replacingChangesTheTag() throws Exception {
    StoredObject first = kit.put("tagged", bytes(16, 3));
    StoredObject second = kit.put("tagged", bytes(16, 4));

    assertThat(second.tag()).as("tag of other bytes of the same size").isNotEqualTo(first.tag());
    assertThat(second.modified()).as("time of the second put").isAfterOrEqualTo(first.modified());
  }

  @Test
  final void smallerObjectReplacesALargerOneWhole() throws Exception {
    kit.put("replaced", bytes(4096, 5));
    kit.put("replaced", new byte[] {7});

    assertThat(kit.store().stat("replaced").orElseThrow().size()).isEqualTo(1);
    assertFails("bytes of the former object", ErrorCode.IO, () -> kit.get("replaced", 0, 2));
  }

  @Test
  final void secondStoreSeesTheObjects() throws Exception {
    kit.put("shared", new byte[] {1, 2, 3});

    try (ObjectStore second = kit.open()) {
      ByteBuffer read = ByteBuffer.allocate(3);
      second.get("shared", 0, read);
      assertThat(read.array()).containsExactly(1, 2, 3);
    }
  }

  @Test
  final void invalidKeysAreRefusedByEachCall() {
    for (String key : List.of("", "/etc/passwd", "a/../../b", "..", "a//b", "a\u0000b")) {
      String rule = "key \"" + key + "\"";
      assertFails(rule + " in put", ErrorCode.INVALID, () -> kit.put(key, new byte[1]));
      assertFails(rule + " in get", ErrorCode.INVALID, () -> kit.get(key, 0, 1));
      assertFails(rule + " in stat", ErrorCode.INVALID, () -> kit.store().stat(key));
      assertFails(rule + " in delete", ErrorCode.INVALID, () -> kit.store().delete(List.of(key)));
    }
  }
}
