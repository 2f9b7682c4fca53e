package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import dev.holdfast.upgrade.PluginOrigin;
import dev.holdfast.upgrade.PluginOwners;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the owning bundle of each attacher name across the replacements of {@link
 * AttachmentReconciler}. Attachers of other bundles are rejected under that name. Thread-safe.
 */
@Component(
    service = {InstalledAttachers.class, BundleTroubles.class},
    immediate = true)
public final class InstalledAttachers implements BundleTroubles {
  private static final Logger LOG = LoggerFactory.getLogger(InstalledAttachers.class);

  private final Function<AttacherProvider, PluginOrigin> origin;
  private final PluginOwners<AttacherProvider> owners;

  /** Creates an object without attachers. */
  @Activate
  public InstalledAttachers(BundleContext context) {
    this(
        InstalledAttachers::bundleOf,
        symbolicName ->
            Arrays.stream(context.getBundles())
                .anyMatch(bundle -> symbolicName.equals(bundle.getSymbolicName())));
  }

  InstalledAttachers(Function<AttacherProvider, PluginOrigin> origin, Predicate<String> installed) {
    this.origin = origin;
    this.owners = new PluginOwners<>("attacher", installed, InstantSource.system(), LOG::warn);
  }

  private static PluginOrigin bundleOf(AttacherProvider type) {
    Bundle bundle = FrameworkUtil.getBundle(type.getClass());
    return new PluginOrigin(
        bundle.getBundleId(), bundle.getSymbolicName(), bundle.getVersion().toString());
  }

  /**
   * Returns the admitted attachers by name.
   *
   * @param present all installed attachers by ascending ranking; the later of two versions of a
   *     bundle is used
   */
  Map<String, AttacherProvider> byName(List<AttacherProvider> present) {
    owners.retain(present);
    for (AttacherProvider type : present) {
      if (!owners.knows(type)) {
        List<AttacherProvider> unused = owners.add(type, type.name(), origin.apply(type));
      }
    }
    Map<String, AttacherProvider> types = new TreeMap<>();
    present.stream().filter(owners::admits).forEach(type -> types.put(type.name(), type));
    return types;
  }

  @Override
  public List<BundleTrouble> troubles() {
    return owners.troubles();
  }
}
