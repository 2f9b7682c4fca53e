package dev.holdfast.certificates.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Selects the authority that signs this node's certificate: the node's own, unless the nodes of its
 * cluster share a store, in which they agree on one. A node that already has its authority's
 * certificate does not wait. A node that joined another by a token uses that node's authority.
 */
@Component(immediate = true, service = AuthorityChoice.class)
public final class AuthorityChoice {
  private static final Set<String> SHARED = Set.of("kubernetes", "etcd");

  /** Enables the selected components. */
  @Activate
  public AuthorityChoice(ComponentContext components, BundleContext context) {
    Path directory = NodeTlsService.directory(context);
    boolean joined = Files.exists(directory.resolveSibling("cluster").resolve("kubeconfig"));
    boolean shared = SHARED.contains(String.valueOf(context.getProperty("holdfast.store")));
    if (shared && !joined) {
      components.enableComponent(SharedAuthority.NAME);
    }
    if (!shared || joined || Files.exists(directory.resolve("ca.crt"))) {
      components.enableComponent(NodeTlsService.NAME);
    }
  }
}
