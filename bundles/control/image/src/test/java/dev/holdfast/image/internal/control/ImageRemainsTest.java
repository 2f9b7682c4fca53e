package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.store.LabelSelector;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Files that stay although the store told otherwise, and files that do not stay. */
class ImageRemainsTest extends ImageFixture {
  /** A plan that was made earlier may take the image from its disk late. */
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
}
