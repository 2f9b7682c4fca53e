package dev.holdfast.backuptarget.testkit;

import static dev.holdfast.backuptarget.testkit.ObjectStoreKit.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Listing, deletion and retention. */
abstract class ListingTopic {
  private final ObjectStoreKit kit;

  ListingTopic(ObjectStoreKit kit) {
    this.kit = kit;
  }

  @Test
  final void emptyTargetHasNoObjects() throws Exception {
    assertThat(kit.list("", "")).as("keys of an empty target").isEmpty();
    assertThat(kit.list("no/such", "")).as("keys below an absent prefix").isEmpty();
  }

  @Test
  final void keysAscendByTheirBytes() throws Exception {
    List<String> expected =
        List.of("A", "a.b", "a/b", "a/b.c", "a/b/c", "a0", "b", "é", "\ud83d\ude00");
    List<String> created = new ArrayList<>(expected);
    created.remove("a/b/c");
    created.add(3, "a/bc/d");
    for (String key : created) {
      kit.put(key, new byte[1]);
    }
    created.sort(MemoryObjectStore.byBytes());

    assertThat(kit.list("", "")).as("keys in the order of their bytes").isEqualTo(created);
  }

  @Test
  final void prefixIsTextAndNeedsNoSlash() throws Exception {
    for (String key : List.of("backups/x", "backups/xy", "backups/y", "backup", "other")) {
      kit.put(key, new byte[1]);
    }

    assertThat(kit.list("backups/x", "")).containsExactly("backups/x", "backups/xy");
    assertThat(kit.list("backups/", "")).containsExactly("backups/x", "backups/xy", "backups/y");
    assertThat(kit.list("back", "")).startsWith("backup", "backups/x").doesNotContain("other");
  }

  @Test
  final void listingBeginsBehindTheGivenKey() throws Exception {
    for (String key : List.of("p/1", "p/2/a", "p/2/b", "p/3")) {
      kit.put(key, new byte[1]);
    }

    assertThat(kit.list("p/", "p/2/a")).containsExactly("p/2/b", "p/3");
    assertThat(kit.list("p/", "p/2")).containsExactly("p/2/a", "p/2/b", "p/3");
    assertThat(kit.list("p/", "p/3")).isEmpty();
    assertThat(kit.list("p/", "a")).hasSize(4);
  }

  @Test
  final void manyObjectsAreListedOnce() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1100; i++) {
      expected.add(String.format("many/%02d/%04d", i % 7, i));
      kit.put(expected.get(i), new byte[0]);
    }
    expected.sort(null);

    assertThat(kit.list("many/", "")).as("more keys than one page holds").isEqualTo(expected);
  }

  @Test
  final void listingDescribesTheObjects() throws Exception {
    kit.put("d/one", new byte[5]);
    StoredObject stored = kit.store().stat("d/one").orElseThrow();
    List<StoredObject> found = new ArrayList<>();
    kit.store().list("d/", "", found::add);

    assertThat(found).as("descriptions in the listing").containsExactly(stored);
  }

  @Test
  final void exceptionOfTheVisitorEndsTheListing() throws Exception {
    kit.put("v/1", new byte[1]);
    kit.put("v/2", new byte[1]);
    List<String> visited = new ArrayList<>();

    assertFails(
        "visitor that throws",
        ErrorCode.EXPIRED,
        () ->
            kit.store()
                .list(
                    "v/",
                    "",
                    found -> {
                      visited.add(found.key());
                      throw new StorageException(ErrorCode.EXPIRED, "enough");
                    }));
    assertThat(visited).as("objects visited before the exception").containsExactly("v/1");
  }

  @Test
  final void onlyTheNamedObjectsAreDeleted() throws Exception {
    for (String key : List.of("x/1", "x/2", "x/22", "y")) {
      kit.put(key, new byte[1]);
    }
    kit.store().delete(List.of("x/2", "y", "absent", "x/absent"));

    assertThat(kit.list("", "")).as("keys after the deletion").containsExactly("x/1", "x/22");
    assertThat(kit.store().stat("x/2")).isEmpty();
  }

  @Test
  final void deletedObjectCanBeCreatedAgain() throws Exception {
    kit.put("again/object", new byte[] {1});
    kit.store().delete(List.of("again/object"));
    kit.store().delete(List.of("again/object"));
    kit.put("again/object", new byte[] {2});

    assertThat(kit.get("again/object", 0, 1)).containsExactly(2);
  }

  @Test
  final void retainedObjectIsNotDeleted() throws Exception {
    if (kit.store().capabilities().contains(StoreCapability.RETENTION)) {
      StoredObject before = kit.put("clock", new byte[1]);
      kit.store()
          .put(
              "kept",
              List.of(ByteBuffer.allocate(1)),
              new PutOptions(
                  false,
                  Optional.empty(),
                  Optional.of(before.modified().plus(Duration.ofHours(1)))));

      assertFails(
          "deletion of a retained object",
          ErrorCode.FORBIDDEN,
          () -> kit.store().delete(List.of("kept")));
      assertThat(kit.store().stat("kept")).isPresent();
    }
  }
}
