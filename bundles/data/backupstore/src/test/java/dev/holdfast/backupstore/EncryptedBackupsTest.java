package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.EncryptedTargets;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Packed backups at an encrypted target: hidden, authenticated, readable through rotations. */
class EncryptedBackupsTest {
  private static final int CHUNK = 64 << 10;
  private static final String VOLUME = "vol1";
  private static final String FIRST = "planted-first-key-000000000000000000";
  private static final String SECOND = "planted-second-key-11111111111111111";
  private static final String THIRD = "planted-third-key-222222222222222222";
  private static final String PLANTED = "planted-content-of-a-volume";
  private static final Map<String, String> ONE = Map.of("key-1", FIRST);
  private static final Map<String, String> BOTH = Map.of("key-1", FIRST, "key-2", SECOND);
  private static final Map<String, String> TWO = Map.of("key-2", SECOND);

  private final TestTime time = new TestTime();
  private final MemoryObjectStore store = new MemoryObjectStore(time);
  private final Random random = new Random(7);

  private static BackupName name(String backup) {
    return new BackupName(VOLUME, backup);
  }

  private static ObjectStore encrypted(ObjectStore store, Map<String, String> secret)
      throws StorageException {
    Map<String, byte[]> values = new HashMap<>();
    secret.forEach((id, value) -> values.put(id, (value + "\n").getBytes(StandardCharsets.UTF_8)));
    return EncryptedTargets.encrypted(store, "backup-key", values);
  }

  private WrittenBackup write(ObjectStore target, String backup, ByteSource source)
      throws StorageException {
    return write(target, BackupLayout.PACKED, backup, source);
  }

  private WrittenBackup write(
      ObjectStore target, BackupLayout layout, String backup, ByteSource source)
      throws StorageException {
    return new LaidOutBackups(target, time)
        .write(
            source.request(VOLUME, backup), layout, source, 2, LonghornBackupWriter.Progress.NONE);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static ByteSource source(String uid, byte[] content) {
    return new ByteSource(uid, content, Optional.empty());
  }

  /** Content that compresses to few bytes, with a planted text. */
  private static byte[] small() {
    byte[] content = new byte[2 * CHUNK];
    Arrays.fill(content, (byte) 'x');
    byte[] planted = PLANTED.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(planted, 0, content, 100, planted.length);
    return content;
  }

  private Map<String, byte[]> objects() throws StorageException {
    Map<String, byte[]> found = new TreeMap<>();
    List<StoredObject> listed = new ArrayList<>();
    store.list("holdfast/", "", listed::add);
    for (StoredObject object : listed) {
      found.put(object.key(), LonghornFixture.get(store, object.key()));
    }
    return found;
  }

  private void put(String key, byte[] bytes) throws StorageException {
    store.put(key, List.of(ByteBuffer.wrap(bytes)), PutOptions.REPLACE);
  }

  private static void refused(StorageExceptionSource call, ErrorCode code, String... parts) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
        .hasMessageContainingAll(parts)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain(FIRST, SECOND, THIRD, "planted"));
  }

  /** A call that may fail. */
  private interface StorageExceptionSource {
    void run() throws StorageException;
  }

  @Test
  void randomHistoryIsRestored() throws Exception {
    byte[] content = bytes(40 * CHUNK + 4096);
    ByteSource base = source("uid-0", content);
    write(encrypted(store, ONE), "backup-0", base);
    List<byte[]> contents = new ArrayList<>(List.of(content));
    for (int n = 1; n < 8; n++) {
      content = content.clone();
      System.arraycopy(bytes(4096), 0, content, random.nextInt(40) * CHUNK + 4096, 4096);
      ByteSource next = new ByteSource("uid-" + n, content, Optional.of(base));
      assertThat(write(encrypted(store, ONE), "backup-" + n, next).readBytes()).isEqualTo(CHUNK);
      base = next;
      contents.add(content);
    }
    ObjectStore target = encrypted(store, ONE);
    LaidOutBackups backups = new LaidOutBackups(target, time);
    assertThat(backups.volumes()).containsExactly(VOLUME);
    assertThat(backups.remove(name("backup-3")).kept()).isEmpty();
    contents.set(3, null);
    for (int n = 0; n < contents.size(); n++) {
      if (contents.get(n) != null) {
        assertThat(Restored.bytes(target, name("backup-" + n))).isEqualTo(contents.get(n));
      }
    }
  }

  @Test
  void targetHasNeitherContentNorNamesOfSnapshotsNorKeys() throws Exception {
    ByteSource source = source("planted-uid", small());
    write(encrypted(store, ONE), "backup-1", source);
    assertThat(objects()).hasSize(5);
    for (Map.Entry<String, byte[]> object : objects().entrySet()) {
      String text = new String(object.getValue(), StandardCharsets.ISO_8859_1);
      assertThat(text).as(object.getKey()).doesNotContain("planted", "sha256\":", "xxxx");
    }
    byte[] pack = pack();
    write(encrypted(store, ONE), "backup-2", source("uid-2", small()));
    MemoryObjectStore other = new MemoryObjectStore(time);
    write(encrypted(other, ONE), "backup-1", source);
    List<StoredObject> packs = new ArrayList<>();
    other.list("holdfast/v1/volumes/vol1/packs/", "", packs::add);
    assertThat(Arrays.equals(LonghornFixture.get(other, packs.get(0).key()), pack)).isFalse();
  }

  private byte[] pack() throws StorageException {
    return objects().entrySet().stream()
        .filter(object -> object.getKey().endsWith(".pack"))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  /** Returns why the backup cannot be read whole, empty if it can. */
  private String damage() throws StorageException {
    try {
      ObjectStore target = encrypted(store, ONE);
      LaidOutBackups backups = new LaidOutBackups(target, time);
      VerifiedBackup verified =
          new BackupVerification(target, 1).verify(backups.backup(name("backup-1")));
      return verified.intact() ? "" : verified.damaged().toString();
    } catch (StorageException e) {
      return e.code() + " " + e.getMessage();
    }
  }

  @Test
  void eachAlteredByteIsFoundAndItsObjectIsNamed() throws Exception {
    write(encrypted(store, ONE), "backup-1", source("uid-1", small()));
    assertThat(damage()).isEmpty();
    for (Map.Entry<String, byte[]> object : objects().entrySet()) {
      byte[] right = object.getValue();
      int read = object.getKey().endsWith(".pack") ? firstChunks(right) : right.length;
      for (int i = 0; i < read; i++) {
        byte[] wrong = right.clone();
        wrong[i] ^= (byte) (1 << random.nextInt(8));
        put(object.getKey(), wrong);
        assertThat(damage()).as("byte %d of %s", i, object.getKey()).contains(object.getKey());
      }
      put(object.getKey(), Arrays.copyOf(right, right.length - 1));
      assertThat(damage()).as("shorter %s", object.getKey()).contains(object.getKey());
      put(object.getKey(), Arrays.copyOf(right, right.length + 1));
      assertThat(damage()).as("longer %s", object.getKey()).contains(object.getKey());
      put(object.getKey(), right);
    }
    assertThat(damage()).isEmpty();
  }

  /** All bytes of a pack below 64 KiB are in one part, which is authenticated as a whole. */
  private static int firstChunks(byte[] pack) {
    assertThat(pack.length).isLessThan(CHUNK);
    return pack.length;
  }

  @Test
  void partsCannotBeExchangedOrCut() throws Exception {
    byte[] content = bytes(8 * CHUNK);
    write(encrypted(store, ONE), "backup-1", source("uid-1", content));
    String key =
        objects().keySet().stream().filter(k -> k.endsWith(".pack")).findFirst().orElseThrow();
    byte[] right = objects().get(key);
    int part = CHUNK + 16;
    byte[] exchanged = right.clone();
    System.arraycopy(right, 40, exchanged, 40 + part, part);
    System.arraycopy(right, 40 + part, exchanged, 40, part);
    put(key, exchanged);
    assertThat(damage()).contains(key, "were altered or exchanged");
    put(key, Arrays.copyOf(right, 40 + 3 * part));
    assertThat(damage()).contains(key);
    put(key, right);
    assertThat(damage()).isEmpty();
  }

  @Test
  void objectUnderAnotherKeyIsFound() throws Exception {
    write(encrypted(store, ONE), "backup-1", source("uid-1", small()));
    write(encrypted(store, ONE), "backup-2", source("uid-2", bytes(CHUNK)));
    List<String> manifests =
        objects().keySet().stream().filter(k -> k.contains("/backups/")).toList();
    put(manifests.get(0), objects().get(manifests.get(1)));
    assertThat(damage()).contains(manifests.get(0));
  }

  @Test
  void lostKeyIsAClearErrorAndChangesNothing() throws Exception {
    write(encrypted(store, BOTH), "backup-1", source("uid-1", small()));
    Map<String, byte[]> before = objects();
    for (Map<String, String> other : List.of(Map.of("key-1", THIRD), Map.of("key-3", THIRD))) {
      ObjectStore target = encrypted(store, other);
      refused(
          () -> new LaidOutBackups(target).backup(name("backup-1")),
          ErrorCode.FORBIDDEN,
          "encrypted by the keys key-1, key-2; secret backup-key has "
              + other.keySet().iterator().next(),
          "add one of the former keys to the secret");
      refused(
          () -> write(target, "backup-2", source("uid-2", small())),
          ErrorCode.FORBIDDEN,
          "secret backup-key");
      refused(
          () -> new LaidOutBackups(target, time).remove(name("backup-1")),
          ErrorCode.FORBIDDEN,
          "backup-key");
    }
    refused(
        () -> new LaidOutBackups(store).backup(name("backup-1")),
        ErrorCode.FORBIDDEN,
        "is encrypted: name the secret with its key in spec.encryptionSecret");
    refused(
        () -> write(store, "backup-2", source("uid-2", small())), ErrorCode.FORBIDDEN, "encrypted");
    assertThat(objects()).containsExactlyEntriesOf(before);

    store.delete(List.of("holdfast/v1/keys.json"));
    refused(
        () -> new LaidOutBackups(encrypted(store, BOTH)).backup(name("backup-1")),
        ErrorCode.FORBIDDEN,
        "and no keys.json: they are not encrypted, or their key is lost");
    refused(
        () -> write(encrypted(store, BOTH), "backup-2", source("uid-2", small())),
        ErrorCode.FORBIDDEN,
        "keys.json");
  }

  @Test
  void unsuitableSecretsAreRefused() {
    refused(() -> encrypted(store, Map.of()), ErrorCode.INVALID, "has no entry");
    refused(
        () -> encrypted(store, Map.of("key-1", "planted")),
        ErrorCode.INVALID,
        "entry key-1 has 7 bytes, at least 32 required: make one by 'openssl rand -base64 32'");
    refused(() -> encrypted(store, Map.of("key/1", FIRST)), ErrorCode.INVALID, "whose name is not");
  }

  @Test
  void rotationRewrapsTheDataKeyAndNoOtherObject() throws Exception {
    write(encrypted(store, ONE), "backup-1", source("uid-1", small()));
    Map<String, byte[]> before = objects();
    rotate(encrypted(store, BOTH));
    rotate(encrypted(store, ONE));
    assertThat(Restored.bytes(encrypted(store, TWO), name("backup-1")))
        .as("a node with the former secret does not drop the copy of the new key")
        .isEqualTo(small());
    rotate(encrypted(store, TWO));
    refused(
        () -> new LaidOutBackups(encrypted(store, ONE)).backup(name("backup-1")),
        ErrorCode.FORBIDDEN,
        "encrypted by the keys key-2");
    assertThat(Restored.bytes(encrypted(store, BOTH), name("backup-1"))).isEqualTo(small());
    Map<String, byte[]> after = objects();
    assertThat(after.remove("holdfast/v1/keys.json"))
        .isNotEqualTo(before.remove("holdfast/v1/keys.json"));
    assertThat(after).containsExactlyEntriesOf(before);
  }

  /** Writes as a test of the target does. */
  private static void rotate(ObjectStore target) throws StorageException {
    String key = "holdfast/v1/probe";
    target.put(key, List.of(ByteBuffer.wrap(new byte[4])), PutOptions.REPLACE);
    target.delete(List.of(key));
  }

  @Test
  void killBetweenAnyTwoStepsOfARotationLeavesAllBackupsReadable() throws Exception {
    write(encrypted(store, ONE), "backup-1", source("uid-1", small()));
    for (Map<String, String> secret : List.of(BOTH, TWO, BOTH)) {
      int calls = 0;
      boolean complete = false;
      while (!complete) {
        AtomicInteger made = new AtomicInteger();
        int limit = calls++;
        ObjectStore killed =
            new FaultyObjectStore(
                store,
                (call, key) -> {
                  if (made.incrementAndGet() > limit) {
                    throw new StorageException(ErrorCode.UNREACHABLE, "killed");
                  }
                });
        try {
          rotate(encrypted(killed, secret));
          complete = true;
        } catch (StorageException e) {
          assertThat(e).hasMessage("killed");
        }
        assertThat(Restored.bytes(encrypted(store, BOTH), name("backup-1"))).isEqualTo(small());
        assertThat(Restored.bytes(encrypted(store, secret), name("backup-1"))).isEqualTo(small());
      }
      assertThat(calls).isGreaterThan(3);
    }
  }

  @Test
  void targetsThatCannotBeEncryptedAreRefused() throws Exception {
    ObjectStore target = encrypted(store, ONE);
    refused(
        () -> write(target, BackupLayout.LONGHORN, "backup-1", source("uid-1", small())),
        ErrorCode.UNSUPPORTED,
        "the layout of Longhorn has no encryption");
    ObjectStore shared =
        new ForwardingObjectStore(new MemoryObjectStore(time)) {
          @Override
          public Set<StoreCapability> capabilities() {
            return Set.of();
          }
        };
    refused(
        () -> write(encrypted(shared, ONE), "backup-1", source("uid-1", small())),
        ErrorCode.UNSUPPORTED,
        "cannot create an object exclusively");
    write(store, "backup-1", source("uid-1", small()));
    refused(
        () -> write(encrypted(store, ONE), "backup-2", source("uid-2", small())),
        ErrorCode.FORBIDDEN,
        "they are not encrypted, or their key is lost");
  }

  @Test
  void rangesOfObjectsOfAllSizesAreRead() throws Exception {
    ObjectStore target = encrypted(store, ONE);
    for (int size : List.of(0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5)) {
      byte[] content = bytes(size);
      String key = "holdfast/v1/volumes/x/" + size;
      int cut = random.nextInt(size + 1);
      target.put(
          key,
          List.of(ByteBuffer.wrap(content, 0, cut), ByteBuffer.wrap(content, cut, size - cut)),
          PutOptions.REPLACE);
      assertThat(target.stat(key).orElseThrow().size()).isEqualTo(size);
      for (int i = 0; i < 50; i++) {
        int from = random.nextInt(size + 1);
        int to = from + random.nextInt(size - from + 1);
        ByteBuffer read = ByteBuffer.allocate(to - from);
        encrypted(store, ONE).get(key, from, read);
        assertThat(read.hasRemaining()).isFalse();
        assertThat(read.array()).isEqualTo(Arrays.copyOfRange(content, from, to));
      }
      refused(
          () -> target.get(key, 0, ByteBuffer.allocate(size + 1)), ErrorCode.IO, "is shorter than");
    }
  }

  @Test
  void replacedObjectIsReadAgain() throws Exception {
    ObjectStore reader = encrypted(store, ONE);
    ObjectStore writer = encrypted(store, ONE);
    String key = "holdfast/v1/volumes/x/object";
    for (byte value = 1; value < 4; value++) {
      writer.put(key, List.of(ByteBuffer.wrap(new byte[] {value})), PutOptions.REPLACE);
      ByteBuffer read = ByteBuffer.allocate(1);
      reader.get(key, 0, read);
      assertThat(read.get(0)).isEqualTo(value);
    }
  }
}
