package dev.holdfast.imagesource.clone.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.SourceDisk;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Wrong parameters of a clone; {@code ImageLifecycleTest} makes right ones. */
class ImageCloneSourceTest {
  private static final class NoDisks implements ClusterDisks {
    @Override
    public SourceDisk volume(String volume, String snapshot) throws StorageException {
      throw new StorageException(ErrorCode.NOT_FOUND, "volume " + volume);
    }

    @Override
    public SourceDisk image(String image) throws StorageException {
      throw new StorageException(ErrorCode.NOT_FOUND, "image " + image);
    }
  }

  private static void begin(Map<String, String> parameters) throws StorageException {
    new ImageCloneSource()
        .begin(new ImageRequest("copy", parameters, address -> {}, new NoDisks(), Optional.empty()))
        .close();
  }

  @Test
  void ownNameIsRefused() {
    assertThatThrownBy(() -> begin(Map.of("backing-image", "copy")))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("spec.sourceParameters[backing-image]: \"copy\"");
  }

  @Test
  void encryptionIsRefused() {
    assertThatThrownBy(() -> begin(Map.of("backing-image", "debian", "encryption", "encrypt")))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("spec.sourceParameters[encryption]: \"encrypt\": only ignore");
  }
}
