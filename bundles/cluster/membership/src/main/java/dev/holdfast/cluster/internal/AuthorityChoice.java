package dev.holdfast.cluster.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Starts what lets other nodes join, on the node that has the cluster's authority: one that has not
 * joined another itself, wherever its resources are kept.
 */
@Component(immediate = true, service = AuthorityChoice.class)
public final class AuthorityChoice {
  /** Enables it, or leaves it to the node that was joined. */
  @Activate
  public AuthorityChoice(ComponentContext components, BundleContext context) {
    String data = context.getProperty("holdfast.data");
    boolean joined = data != null && Files.exists(Path.of(data, "cluster", "kubeconfig"));
    if (!joined) {
      components.enableComponent(LocalClusterComponent.NAME);
    }
  }
}
