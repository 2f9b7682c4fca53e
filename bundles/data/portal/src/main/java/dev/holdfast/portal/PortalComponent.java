package dev.holdfast.portal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.internal.session.FrontendRank;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ReplaceableParts;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** Registers the portal and reports arriving and leaving frontends to it. */
@Component(service = {Portal.class, ReplaceableParts.class, BundleTroubles.class})
public final class PortalComponent implements Portal, ReplaceableParts, BundleTroubles {
  private final SocketPortal portal;

  @Activate
  public PortalComponent(BundleContext bundle) throws StorageException {
    this.portal =
        new SocketPortal(new PortalSettings(name -> Optional.ofNullable(bundle.getProperty(name))));
    portal.codeIsFoundBy(name -> bundleOf(bundle, name));
    portal.installedIsFoundBy(
        name ->
            Arrays.stream(bundle.getBundles())
                .anyMatch(found -> name.equals(found.getSymbolicName())));
  }

  /** Of several installed versions the highest, because it serves. */
  private static Optional<FrontendRank> bundleOf(BundleContext context, String className) {
    String file = className.replace('.', '/') + ".class";
    return Arrays.stream(context.getBundles())
        .filter(bundle -> bundle.getState() == Bundle.ACTIVE && bundle.getEntry(file) != null)
        .max(Comparator.comparing(Bundle::getVersion))
        .map(bundle -> origin(bundle, 0));
  }

  private static FrontendRank origin(Bundle bundle, int ranking) {
    return new FrontendRank(
        bundle.getBundleId(), bundle.getSymbolicName(), bundle.getVersion().toString(), ranking);
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addFrontend(FrontendProvider frontend, ServiceReference<FrontendProvider> reference) {
    Bundle bundle = reference.getBundle();
    int ranking = reference.getProperty(Constants.SERVICE_RANKING) instanceof Integer r ? r : 0;
    portal.arrived(frontend, origin(bundle, ranking));
  }

  void removeFrontend(FrontendProvider frontend) {
    portal.left(frontend);
  }

  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindCertificates(NodeTls tls) {
    portal.arrived(tls);
  }

  void unbindCertificates(NodeTls tls) {
    portal.left(tls);
  }

  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindDirectory(ExportDirectory directory) {
    portal.arrived(directory);
  }

  void unbindDirectory(ExportDirectory directory) {
    portal.left(directory);
  }

  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindClients(ClientDirectory clients) {
    portal.arrived(clients);
  }

  void unbindClients(ClientDirectory clients) {
    portal.left(clients);
  }

  @Override
  public PublishedExport publish(String frontend, String export, BlockDevice device)
      throws StorageException {
    return portal.publish(frontend, export, device);
  }

  @Override
  public PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store)
      throws StorageException {
    return portal.publish(frontend, export, device, store);
  }

  @Override
  public PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store, ExportPath path)
      throws StorageException {
    return portal.publish(frontend, export, device, store, path);
  }

  @Override
  public String kind() {
    return FRONTEND;
  }

  @Override
  public List<BundleTrouble> troubles() {
    return portal.troubles();
  }

  @Override
  public List<ReplaceablePart> parts() {
    return portal.parts();
  }

  @Deactivate
  void close() {
    portal.close();
  }
}
