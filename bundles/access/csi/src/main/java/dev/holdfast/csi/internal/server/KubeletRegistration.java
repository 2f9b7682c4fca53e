package dev.holdfast.csi.internal.server;

import dev.holdfast.csi.v1.PluginRegistration;
import dev.holdfast.csi.v1.RegistrationGrpc;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the driver with the kubelet, which watches a folder for sockets of plugins and calls
 * each one. This replaces a separate registrar.
 */
public final class KubeletRegistration extends RegistrationGrpc.RegistrationImplBase {
  private static final Logger LOG = LoggerFactory.getLogger(KubeletRegistration.class);

  /** The name of the socket in the kubelet's folder. */
  public static final String SOCKET = CsiNames.DRIVER + "-reg.sock";

  private final String endpoint;
  private final Consumer<Boolean> registered;

  /**
   * Creates the service.
   *
   * @param endpoint path of the driver's socket as the kubelet sees it
   * @param registered receives the result of the registration
   */
  KubeletRegistration(String endpoint, Consumer<Boolean> registered) {
    this.endpoint = endpoint;
    this.registered = registered;
  }

  @Override
  public void getInfo(
      PluginRegistration.InfoRequest request,
      StreamObserver<PluginRegistration.PluginInfo> caller) {
    CallReplies.to(
        caller,
        () ->
            PluginRegistration.PluginInfo.newBuilder()
                .setType("CSIPlugin")
                .setName(CsiNames.DRIVER)
                .setEndpoint(endpoint)
                .addSupportedVersions("1.0.0")
                .build());
  }

  @Override
  public void notifyRegistrationStatus(
      PluginRegistration.RegistrationStatus status,
      StreamObserver<PluginRegistration.RegistrationStatusResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          if (status.getPluginRegistered()) {
            LOG.info("The kubelet registered {}", CsiNames.DRIVER);
          } else {
            LOG.warn("The kubelet did not register {}: {}", CsiNames.DRIVER, status.getError());
          }
          registered.accept(status.getPluginRegistered());
          return PluginRegistration.RegistrationStatusResponse.getDefaultInstance();
        });
  }
}
