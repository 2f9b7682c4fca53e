package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.KernelContract;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** The kernel's own NVMe/TCP host, which connects with digests and two I/O queues. */
final class NvmeKernelTest extends KernelContract {
  NvmeKernelTest() {
    super(
        "nvmeof",
        NvmeofFrontend::new,
        new Guest("kernel-nvme", List.of("-q", "-t", "480", "-M", "nvme-tcp"), List.of("2")));
  }

  @Override
  protected String target(URI endpoint) {
    return endpoint.getPath().substring(1);
  }

  @Override
  protected void judgeProtocol(URI endpoint) throws IOException {
    assertThat(read("discovered"))
        .contains("10.0.2.2", String.valueOf(endpoint.getPort()), target(endpoint));
    assertThat(read("wwid")).startsWith("uuid.");
    assertThat(read("id-ctrl")).contains("Holdfast");
    assertThat(read("ana-log")).contains("optimized");
  }
}
