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

/** Tells which bundles keep this node's open volumes, and how they took them over. */
@Component
public final class EngineReplacementSource implements ReplaceableParts {
  private final InstalledPlugins plugins;
  private final LocalAttachedVolumes paths;

  /** Creates the source of a running bundle. */
  @Activate
  public EngineReplacementSource(
      @Reference InstalledPlugins plugins, @Reference LocalAttachedVolumes paths) {
    this.plugins = plugins;
    this.paths = paths;
  }

  @Override
  public String kind() {
    return ENGINE;
  }

  @Override
  public List<ReplaceablePart> parts() {
    TreeSet<String> names = new TreeSet<>(plugins.engineNames());
    names.addAll(paths.awaited());
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
                        paths.served(engine.engine())))
            .toList();
    return new ReplaceablePart(
        name,
        bundles,
        (int) paths.awaited().stream().filter(name::equals).count(),
        paths.replacements().failures(name),
        paths.replacements().pauses(name));
  }
}
