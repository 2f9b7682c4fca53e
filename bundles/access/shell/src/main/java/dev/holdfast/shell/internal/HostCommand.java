package dev.holdfast.shell.internal;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.mounts.Mounts;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.osgi.framework.BundleContext;

/** A command that also works on this host's devices and mounts. */
abstract class HostCommand extends WaitingCommand {
  @Reference private List<InitiatorProvider> providers;
  @Reference private BundleContext context;

  final Mounts mounts(ResourceStore resources) {
    HostState connections = new HostState(data().resolve("initiators"));
    return new Mounts(
        resources,
        providers.stream().flatMap(provider -> provider.initiators(connections).stream()).toList(),
        new HostState(data().resolve("mounts")));
  }

  final Path data() {
    String property = context.getProperty("holdfast.data");
    if (property == null) {
      throw new IllegalStateException("the framework property holdfast.data is not set");
    }
    return Path.of(property);
  }
}
