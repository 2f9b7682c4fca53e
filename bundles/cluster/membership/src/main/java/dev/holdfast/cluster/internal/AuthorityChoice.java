package dev.holdfast.cluster.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Starts the components that let other nodes join, on the node that has the cluster's authority.
 * This is a node that has not joined another one, independent of its store.
 */
@Component(immediate = true, service = AuthorityChoice.class)
public final class AuthorityChoice {
  /** Enables the components unless this node has joined another. */
  @Activate
  public AuthorityChoice(ComponentContext components, BundleContext context) {
    String data = context.getProperty("holdfast.data");
    boolean joined = data != null && Files.exists(Path.of(data, "cluster", "kubeconfig"));
    if (!joined) {
      components.enableComponent(LocalClusterComponent.NAME);
    }
  }
}
