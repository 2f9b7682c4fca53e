package dev.holdfast.certificates.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Decides whose authority signs this node's certificate: its own, unless the nodes of its cluster
 * share a store. Then they agree there on one. A node that has its authority's certificate already
 * does not wait, and one that has joined another by a token has that one's.
 */
@Component(immediate = true, service = AuthorityChoice.class)
public final class AuthorityChoice {
  private static final Set<String> SHARED = Set.of("kubernetes", "etcd");

  /** Enables what is needed. */
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
