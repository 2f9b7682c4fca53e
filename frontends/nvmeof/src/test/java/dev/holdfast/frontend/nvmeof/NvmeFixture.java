package dev.holdfast.frontend.nvmeof;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.Frontend;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.FrontendFixture;
import java.io.IOException;
import java.net.URI;

/** NVMe/TCP in the conformance kit, spoken in one way. */
record NvmeFixture(HostOptions options) implements FrontendFixture {

  @Override
  public Frontend frontend() {
    return new NvmeofFrontend();
  }

  @Override
  public FrontendClient connect(URI endpoint) throws IOException {
    return NvmeClient.connect(endpoint, options);
  }

  @Override
  public int blockSize() {
    return NvmeClient.BLOCK;
  }

  @Override
  public int connections() {
    return 2;
  }

  @Override
  public String statusOf(ErrorCode code) {
    return switch (code) {
      case NO_SPACE -> "81";
      case INVALID -> "2";
      case UNSUPPORTED -> "1";
      case FORBIDDEN -> "286";
      case BUSY -> "82";
      case TIMEOUT -> "21";
      case UNREACHABLE -> "300";
      case NOT_FOUND, ALREADY_EXISTS, CONFLICT, EXPIRED, IO, INTERNAL -> "6";
    };
  }
}
