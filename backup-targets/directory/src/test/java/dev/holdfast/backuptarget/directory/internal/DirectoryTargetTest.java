package dev.holdfast.backuptarget.directory.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults that only a directory can have: links, leftovers, folders. */
class DirectoryTargetTest {
  @TempDir Path folder;
  private Path root;
  private ObjectStore store;

  @BeforeEach
  void openStore() throws Exception {
    root = Files.createDirectory(folder.resolve("root"));
    store = open("file://" + root);
  }

  private static ObjectStore open(String url) throws StorageException {
    return new DirectoryTargetProvider().open(TargetUrl.parse(url), Map.of(), StoreOptions.DEFAULT);
  }

  private void put(String key) throws StorageException {
    store.put(key, List.of(ByteBuffer.wrap(new byte[] {1})), PutOptions.REPLACE);
  }

  private List<String> list() throws StorageException {
    List<String> keys = new ArrayList<>();
    store.list("", "", found -> keys.add(found.key()));
    return keys;
  }

  @Test
  void unknownParameterIsNamed() throws Exception {
    open("file://" + root + "?volume=v&backup=b").close();

    assertThatThrownBy(() -> open("file://" + root + "?volum=v"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining("parameter \"volum\"");
  }

  @Test
  void serviceLoaderFindsTheProvider() {
    assertThat(ServiceLoader.load(BackupTargetProvider.class))
        .hasOnlyElementsOfTypes(DirectoryTargetProvider.class);
  }

  @Test
  void linksOutOfTheTargetDoNotExist() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "secret");
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("file"), "outside");
    Files.createSymbolicLink(root.resolve("link"), secret);
    Files.createSymbolicLink(root.resolve("folder"), outside);

    assertThat(list()).isEmpty();
    assertThat(store.stat("link")).isEmpty();
    assertThat(store.stat("folder/file")).isEmpty();
    for (String key : List.of("link", "folder/file")) {
      assertCode(ErrorCode.NOT_FOUND, () -> store.get(key, 0, ByteBuffer.allocate(1)));
    }
    store.delete(List.of("folder/file"));
    assertCode(ErrorCode.CONFLICT, () -> put("folder/new"));
    assertThat(outside).isDirectoryContaining(path -> path.endsWith("file"));
    assertThat(outside.resolve("new")).doesNotExist();
  }

  @Test
  void putReplacesALinkAndNotItsTarget() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "secret");
    Files.createSymbolicLink(root.resolve("link"), secret);
    put("link");

    assertThat(secret).hasContent("secret");
    assertThat(root.resolve("link")).isRegularFile().hasSize(1);
  }

  @Test
  void objectBelowAnObjectIsRefused() throws Exception {
    put("a");

    assertCode(ErrorCode.CONFLICT, () -> put("a/b"));
    put("c/d");
    assertCode(ErrorCode.CONFLICT, () -> put("c"));
    assertThat(list()).containsExactly("a", "c/d");
  }

  @Test
  void deletionRemovesEmptyFolders() throws Exception {
    put("a/b/c");
    put("a/d");
    store.delete(List.of("a/b/c"));

    assertThat(root.resolve("a/b")).doesNotExist();
    assertThat(list()).containsExactly("a/d");
  }

  @Test
  void abandonedFilesAreRemovedByTheFirstPut() throws Exception {
    Path staging = Files.createDirectory(root.resolve(".holdfast-put"));
    Path old = Files.writeString(staging.resolve("old"), "x");
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(100_000)));
    Path recent = Files.writeString(staging.resolve("recent"), "x");
    put("object");

    assertThat(old).doesNotExist();
    assertThat(recent).exists();
    assertThat(list()).containsExactly("object");
  }

  @Test
  void failedPutLeavesNothingInTheStagingFolder() throws Exception {
    put("a");
    assertCode(ErrorCode.CONFLICT, () -> put("a/b"));

    try (Stream<Path> left = Files.list(root.resolve(".holdfast-put"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void addressesThatNameNoDirectoryAreRefused() {
    assertThatThrownBy(() -> open("file://host/path")).hasMessageContaining("\"host\"");
    assertThatThrownBy(() -> open("vfs://" + folder + "/absent"))
        .hasMessageContaining("absent: is not a directory");
  }

  private static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void listingOfADirectoryThatIsGoneFails() throws Exception {
    Files.delete(root);
    assertThatThrownBy(() -> store.list("", "", found -> {}))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("could not list");
  }
}
