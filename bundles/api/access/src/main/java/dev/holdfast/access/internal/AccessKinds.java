package dev.holdfast.access.internal;

import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.BlockClient;
import dev.holdfast.resource.KindProvider;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The kinds of rights of users and clients. */
@Component
public final class AccessKinds implements KindProvider {
  @Override
  public List<ResourceKind<?>> kinds() {
    return List.of(AccessToken.KIND, AccessRole.KIND, AccessBinding.KIND, BlockClient.KIND);
  }
}
