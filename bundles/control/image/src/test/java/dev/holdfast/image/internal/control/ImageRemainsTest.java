package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.store.LabelSelector;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Files that stay although the store requests their removal, and files that are removed. */
class ImageRemainsTest extends ImageFixture {
  /** An earlier plan may remove the image from a disk's manager late. */
  @Test
  void copyThatTheImageStillWantsIsNotRemoved() throws Exception {
    create(download());
    untilReady();
    BackingImageManager manager =
        store.list(BackingImageManager.KIND, LabelSelector.ALL).items().get(0);
    store.update(manager.withSpec(manager.spec().withBackingImages(Map.of())));

    Awaiting.until(
        store,
        BackingImageManager.KIND,
        manager.name(),
        now ->
            now.spec().backingImages().containsKey(IMAGE)
                && now.status().backingImageFileMap().get(IMAGE).state() == ImageState.READY);
    assertThat(engine.count(IMAGE)).isEqualTo(1);
  }

  @Test
  void deliveryThatMovedToAnotherDiskLeavesNoFile() throws Exception {
    CountDownLatch moved = new CountDownLatch(1);
    server.createContext(
        "/slow.raw",
        exchange -> {
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content, 0, 1 << 20);
          exchange.getResponseBody().flush();
          await(moved);
          exchange.getResponseBody().write(content, 1 << 20, 2 << 20);
          exchange.close();
        });
    create(download().withSourceParameters(Map.of("url", url("/slow.raw"))));
    Awaiting.until(
        store,
        BackingImageDataSource.KIND,
        IMAGE,
        source -> source.status().currentState() == ImageState.IN_PROGRESS);
    moveDelivery();
    moved.countDown();
    untilReady();
    store.delete(BackingImage.KIND, IMAGE, "");

    Awaiting.untilGone(store, BackingImage.KIND, IMAGE);
    assertThat(transferFiles()).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Moves the delivery of the image to the other disk of the node. */
  private void moveDelivery() throws Exception {
    for (boolean moved = false; !moved; ) {
      BackingImageDataSource source = store.get(BackingImageDataSource.KIND, IMAGE).orElseThrow();
      String other = source.spec().diskUUID().equals("uuid-one") ? "two" : "one";
      String path = directory.resolve(other).toString();
      try {
        store.update(
            source.withSpec(source.spec().withDiskUUID("uuid-" + other).withDiskPath(path)));
        moved = true;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }
}
