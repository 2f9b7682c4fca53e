package dev.holdfast.resource.image.internal;

import dev.holdfast.resource.KindProvider;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The kinds of backing images. */
@Component
public final class ImageKinds implements KindProvider {
  @Override
  public List<ResourceKind<?>> kinds() {
    return List.of(BackingImage.KIND, BackingImageDataSource.KIND, BackingImageManager.KIND);
  }
}
