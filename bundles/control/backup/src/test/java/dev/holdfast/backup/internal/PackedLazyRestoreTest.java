package dev.holdfast.backup.internal;

import dev.holdfast.backuptarget.PutOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/**
 * The tests of lazy restores with the packed layout, where the blocks of a backup are parts of one
 * object.
 */
@Tag("slow")
class PackedLazyRestoreTest extends LazyRestoreTest {
  private static final int CHUNK = 64 << 10;
  private static final int END = 48;
  private static final int ENTRY = 40;
  private static final int HASH = 32;

  @Override
  boolean isPacked() {
    return true;
  }

  @Override
  int blockSize() {
    return CHUNK;
  }

  private String pack() throws Exception {
    List<String> keys = new ArrayList<>();
    targets.store.list("holdfast/v1/volumes/from/packs/", "", object -> keys.add(object.key()));
    return keys.get(0);
  }

  private ByteBuffer bytes(String key) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate((int) targets.store.stat(key).orElseThrow().size());
    targets.store.get(key, 0, bytes);
    return bytes.flip();
  }

  /** The entries of the trailer are in the order of the blocks, each of which is one chunk. */
  @Override
  ContentPlace place(int block) throws Exception {
    ByteBuffer pack = bytes(pack());
    int chunks = pack.getInt(pack.limit() - END + Integer.BYTES);
    int entry = pack.limit() - END - ENTRY * (chunks - block);
    return new ContentPlace(pack(), pack.getInt(entry + HASH));
  }

  @Override
  String damage(int block) throws Exception {
    ContentPlace place = place(block);
    ByteBuffer pack = bytes(place.key());
    int middle = (int) place.offset() + 8;
    pack.put(middle, (byte) (pack.get(middle) ^ 1));
    targets.store.put(place.key(), List.of(pack), PutOptions.REPLACE);
    return "object " + place.key();
  }
}
