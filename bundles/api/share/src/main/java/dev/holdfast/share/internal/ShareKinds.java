package dev.holdfast.share.internal;

import dev.holdfast.resource.KindProvider;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.share.ShareManager;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The kind of shares. */
@Component
public final class ShareKinds implements KindProvider {
  @Override
  public List<ResourceKind<?>> kinds() {
    return List.of(ShareManager.KIND);
  }
}
