package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceSpec;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The file of an image is sent again after its upload broke off. */
class UploadedImageTest {
  private static final BackingImageSpec UPLOAD = BackingImageSpec.EMPTY.withSourceType("upload");
  private static final Waiting PATIENT = Waiting.upTo(Duration.ofSeconds(30));
  private static final Waiting SHORT = Waiting.upTo(Duration.ofMillis(50));

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final BackingImages images = new BackingImages(store);

  @AfterEach
  void close() {
    store.close();
  }

  private void report(Condition.Status status, String reason, String message)
      throws StorageException {
    BackingImage image = images.get("base");
    store.updateStatus(
        image.withStatus(
            image
                .status()
                .withConditions(
                    List.of(
                        new Condition(Condition.READY, status, reason, message, Instant.EPOCH)))));
  }

  private void failed(String message) throws StorageException {
    report(Condition.Status.FALSE, BackingImage.FAILED_REASON, message);
  }

  @Test
  void presentImageIsUsedWhileItHasNoFile() throws Exception {
    BackingImage first = images.createForUpload("base", UPLOAD);
    failed("the upload broke off");

    assertThat(images.createForUpload("base", UPLOAD).metadata().uid())
        .isEqualTo(first.metadata().uid());
  }

  @Test
  void imageThatIsReadyOrDiffersIsRefused() throws Exception {
    images.createForUpload("base", UPLOAD);
    for (BackingImageSpec other :
        List.of(UPLOAD.withSourceType("download"), UPLOAD.withChecksum("ab".repeat(64)))) {
      assertRefused(other);
    }
    report(Condition.Status.TRUE, "Ready", "");
    assertRefused(UPLOAD);
  }

  private void assertRefused(BackingImageSpec spec) {
    assertThatThrownBy(() -> images.createForUpload("base", spec))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS));
  }

  @Test
  void nodeReceivesTheFileOfAFailedDelivery() throws Exception {
    BackingImageDataSource source =
        store.create(
            BackingImageDataSource.of(
                "base",
                new BackingImageDataSourceSpec(
                    "u-1", "node-1", "disk-1", "/disk", "upload", Map.of(), "", false)));
    source = inState(source, ImageState.IN_PROGRESS);
    assertThatThrownBy(() -> images.awaitUpload("base", SHORT))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));

    source = inState(source, ImageState.FAILED);
    images.awaitUpload("base", PATIENT);

    inState(source, ImageState.READY_FOR_TRANSFER);
    assertThatThrownBy(() -> images.awaitUpload("base", PATIENT))
        .hasMessage("image base was uploaded already");
  }

  private BackingImageDataSource inState(BackingImageDataSource source, ImageState state)
      throws StorageException {
    return store.updateStatus(source.withStatus(source.status().withCurrentState(state)));
  }

  @Test
  void formerFailureIsIgnoredAfterTheFileWasSentAgain() throws Exception {
    images.createForUpload("base", UPLOAD);
    failed("the upload broke off");
    BackingImage before = images.get("base");
    CompletableFuture<BackingImage> waiting = CompletableFuture.supplyAsync(() -> awaited(before));
    assertThatThrownBy(() -> images.awaitReadyAfter(before, SHORT))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));

    failed("wrong checksum");
    assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("wrong checksum");
  }

  private BackingImage awaited(BackingImage before) {
    try {
      return images.awaitReadyAfter(before, PATIENT);
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }
}
