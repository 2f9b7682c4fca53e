package dev.holdfast.upgrader.internal;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.apache.felix.fileinstall.ArtifactInstaller;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs features from files in {@code deploy/}, a {@code .kar} or a feature file, as {@code
 * holdfast upgrade} does and without a restart. Undoes the upgrade when the file is removed and no
 * later upgrade ran. Karaf itself handles jars there.
 */
@Component
public final class DeployedFeatures implements ArtifactInstaller {
  private static final Logger LOG = LoggerFactory.getLogger(DeployedFeatures.class);

  private final UpgradeComponent upgrades;

  /** Passes files to the upgrader. */
  @Activate
  public DeployedFeatures(@Reference UpgradeComponent upgrades) {
    this.upgrades = upgrades;
  }

  @Override
  public boolean canHandle(File artifact) {
    return artifact.getName().endsWith(".kar")
        || (artifact.getName().endsWith(".xml") && FeatureFile.isOne(artifact.toPath()));
  }

  /** The container calls this at every start; the same file is installed once. */
  @Override
  public void install(File artifact) throws IOException {
    Path file = artifact.toPath();
    String id =
        "deploy-%s-%d-%d"
            .formatted(
                artifact.getName(), Files.size(file), Files.getLastModifiedTime(file).toMillis());
    upgrades.submit(
        new UpgradeRequest(
            id, UpgradeRequest.Action.APPLY, file.toAbsolutePath().toString(), false));
  }

  @Override
  public void update(File artifact) throws IOException {
    install(artifact);
  }

  @Override
  public void uninstall(File artifact) {
    String source = artifact.toPath().toAbsolutePath().toString();
    Optional<Operation> last = upgrades.lastDone();
    if (last.filter(operation -> operation.source().equals(source)).isPresent()) {
      upgrades.submit(
          new UpgradeRequest(
              UUID.randomUUID().toString(), UpgradeRequest.Action.ROLLBACK, "", false));
    } else {
      LOG.info("{} was removed; its bundles stay, because it is not the last upgrade", source);
    }
  }
}
