package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.frontend.iscsi.internal.login.Targets;
import java.util.Optional;

/**
 * The exports that this node and others publish as targets.
 *
 * @param exports exports of this frontend
 */
record ShownTargets(ExportCatalogue exports) implements Targets {
  @Override
  public boolean here(String target) {
    return TargetNames.export(target).flatMap(exports::find).isPresent();
  }

  /** Without a portal group tag, which a redirection must not have (RFC 7143, 13.8). */
  @Override
  public Optional<String> elsewhere(String target) {
    return TargetNames.export(target)
        .flatMap(exports::elsewhere)
        .filter(endpoint -> endpoint.getHost() != null && endpoint.getPort() > 0)
        .map(endpoint -> endpoint.getHost() + ":" + endpoint.getPort());
  }
}
