package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ReplaceableParts;
import dev.holdfast.upgrade.ServingBundle;
import java.util.List;
import java.util.TreeSet;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Reports which bundles serve this node's open volumes, and how they took them over. */
@Component
public final class EngineReplacementSource implements ReplaceableParts {
  private final InstalledPlugins plugins;
  private final LocalAttachedVolumes volumes;

  /** Creates the source of a running bundle. */
  @Activate
  public EngineReplacementSource(
      @Reference InstalledPlugins plugins, @Reference LocalAttachedVolumes volumes) {
    this.plugins = plugins;
    this.volumes = volumes;
  }

  @Override
  public String kind() {
    return ENGINE;
  }

  @Override
  public List<ReplaceablePart> parts() {
    TreeSet<String> names = new TreeSet<>(plugins.engineNames());
    names.addAll(volumes.awaited());
    return names.stream().map(this::part).toList();
  }

  private ReplaceablePart part(String name) {
    List<ServingBundle> bundles =
        plugins.engines(name).stream()
            .map(
                engine ->
                    new ServingBundle(
                        engine.bundle(),
                        engine.symbolicName(),
                        engine.version().toString(),
                        volumes.served(engine.engine())))
            .toList();
    return new ReplaceablePart(
        name,
        bundles,
        (int) volumes.awaited().stream().filter(name::equals).count(),
        volumes.replacements().failures(name),
        volumes.replacements().pauses(name));
  }
}
