package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.testkit.KernelContract;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** The kernel's own initiator, which discovers the target and logs in with digests. */
final class IscsiKernelTest extends KernelContract {
  IscsiKernelTest() {
    super(
        "iscsi",
        IscsiFrontend::new,
        new Guest("kernel-iscsi", List.of("-t", "300", "-M", "iscsi_tcp sd_mod ext4"), List.of()));
  }

  @Override
  protected String target(URI endpoint) {
    return endpoint.getPath().substring(1, endpoint.getPath().lastIndexOf('/'));
  }

  @Override
  protected void judgeProtocol(URI endpoint) throws IOException {
    assertThat(read("discovered"))
        .contains("10.0.2.2:" + endpoint.getPort() + ",1 " + target(endpoint));
    assertThat(read("wwid")).startsWith("t10.HOLDFAST").contains("judged");
  }
}
