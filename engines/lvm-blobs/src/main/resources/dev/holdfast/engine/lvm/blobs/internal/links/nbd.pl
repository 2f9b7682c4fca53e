# Devices of the kernel's NBD client, by netlink; KernelNbd runs this on the host. It needs perl-base
# only. nbd-client cannot tell the kernel to keep requests when a connection is lost.
#
#   find       BACKEND
#   connect    BACKEND HOST PORT EXPORT TIMEOUT DEAD    TIMEOUT of a request, DEAD of a lost connection
#   reconnect  INDEX BACKEND HOST PORT EXPORT TIMEOUT
#   lost       PREFIX
#   disconnect INDEX BACKEND
#
# HOST is the path of a UNIX socket when it begins with a slash; PORT then has no meaning.
#
# It prints "INDEX MAJOR:MINOR" of the device, or nothing when the device is absent; "lost" prints the
# backends with the prefix whose connection is lost, one in a line. On failure it
# prints "CODE MESSAGE" on its error output, CODE of ErrorCode, and its exit code is 1.
use strict;
use warnings;
use Errno qw(EBUSY EINVAL);
use Fcntl qw(O_EXCL O_RDONLY O_RDWR);
use IO::Handle;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(AF_UNIX IPPROTO_TCP PF_UNSPEC SO_KEEPALIVE SO_SNDTIMEO SOCK_STREAM SOL_SOCKET TCP_NODELAY);

use constant {
  # linux/netlink.h, linux/genetlink.h
  AF_NETLINK => 16, SOCK_RAW => 3, NETLINK_GENERIC => 16, NLM_F_REQUEST => 1, NLM_F_ACK => 4,
  NLMSG_ERROR => 2, NLA_F_NESTED => 0x8000, NLA_TYPE_MASK => 0x3fff,
  GENL_ID_CTRL => 16, CTRL_CMD_GETFAMILY => 3, CTRL_ATTR_FAMILY_ID => 1, CTRL_ATTR_FAMILY_NAME => 2,
  # linux/nbd-netlink.h
  NBD_CMD_CONNECT => 1, NBD_CMD_DISCONNECT => 2, NBD_CMD_RECONFIGURE => 3,
  NBD_ATTR_INDEX => 1, NBD_ATTR_SIZE_BYTES => 2, NBD_ATTR_BLOCK_SIZE_BYTES => 3,
  NBD_ATTR_TIMEOUT => 4, NBD_ATTR_SERVER_FLAGS => 5, NBD_ATTR_SOCKETS => 7,
  NBD_ATTR_DEAD_CONN_TIMEOUT => 8, NBD_ATTR_BACKEND_IDENTIFIER => 10,
  NBD_SOCK_ITEM => 1, NBD_SOCK_FD => 1,
  # the protocol of NBD
  FIXED_NEWSTYLE => 1, NO_ZEROES => 2, OPT_GO => 7, REP_ACK => 1, REP_INFO => 3, REP_ERROR => 0x80000000,
  INFO_EXPORT => 0, INFO_BLOCK_SIZE => 3,
};

my $connect_seconds = 5;
my $largest_reply = 65536;

sub fail {
  my ($code, $message) = @_;
  $message =~ s/\s+$//;
  print STDERR "$code $message\n";
  POSIX::_exit(1);
}

sub text {
  my ($number) = @_;
  local $! = $number;
  return "$!";
}

# --- netlink: messages and attributes are padded to 4 bytes -------------------------------

sub attribute {
  my ($type, $data) = @_;
  return pack('SSa*x!4', 4 + length $data, $type, $data);
}

sub u32 { return attribute($_[0], pack('L', $_[1])) }
sub u64 { return attribute($_[0], pack('Q', $_[1])) }

# Takes a part of a length from the start of some bytes, with its padding.
sub take {
  my ($bytes, $length) = @_;
  my $part = substr($$bytes, 0, $length);
  my $padded = ($length + 3) & ~3;
  $$bytes = length $$bytes > $padded ? substr($$bytes, $padded) : '';
  return $part;
}

sub attributes {
  my ($bytes) = @_;
  my %found;
  while (length $bytes >= 4) {
    my ($length, $type) = unpack('SS', $bytes);
    last if $length < 4 || $length > length $bytes;
    $found{$type & NLA_TYPE_MASK} = substr(take(\$bytes, $length), 4);
  }
  return %found;
}

my $netlink;
my $sequence = 0;

# Returns the error number, 0 for success, then the attributes of the reply.
sub call {
  my ($family, $command, $attributes) = @_;
  if (!$netlink) {
    socket($netlink, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC) or fail('UNSUPPORTED', "netlink: $!");
  }
  my $body = pack('CCS', $command, 1, 0) . $attributes;
  $sequence++;
  my $head = pack('LSSLL', 16 + length $body, $family, NLM_F_REQUEST | NLM_F_ACK, $sequence, 0);
  defined send($netlink, $head . $body, 0, pack('SSLL', AF_NETLINK, 0, 0, 0))
    or fail('IO', "netlink: $!");
  my %reply;
  while (1) {
    defined recv($netlink, my $bytes, $largest_reply, 0) or fail('IO', "netlink: $!");
    while (length $bytes >= 16) {
      my ($length, $type, undef, $of) = unpack('LSSL', $bytes);
      last if $length < 16 || $length > length $bytes;
      my $payload = substr(take(\$bytes, $length), 16);
      next if $of != $sequence;
      return (-unpack('l', $payload), %reply) if $type == NLMSG_ERROR;
      %reply = attributes(substr($payload, 4));
    }
  }
}

sub family {
  my ($error, %reply) =
    call(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, attribute(CTRL_ATTR_FAMILY_NAME, "nbd\0"));
  fail('UNSUPPORTED', 'the kernel has no NBD: modprobe nbd') if $error;
  return unpack('S', $reply{+CTRL_ATTR_FAMILY_ID});
}

# --- the export -------------------------------------------------------------------------------

sub fully {
  my ($server, $count) = @_;
  my $bytes = '';
  while (length $bytes < $count) {
    sysread($server, $bytes, $count - length $bytes, length $bytes)
      or fail('UNREACHABLE', 'the server closed the connection in the handshake');
  }
  return $bytes;
}

sub server {
  my ($host, $port) = @_;
  return IO::Socket::UNIX->new(Peer => $host) if $host =~ m{^/};
  my $server = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Proto => 'tcp')
    or return undef;
  setsockopt($server, IPPROTO_TCP, TCP_NODELAY, pack('i', 1));
  setsockopt($server, SOL_SOCKET, SO_KEEPALIVE, pack('i', 1));
  return $server;
}

# Returns a connection that is ready for requests, the size of the export and its flags.
sub negotiate {
  my ($host, $port, $export) = @_;
  local $SIG{ALRM} = sub { fail('UNREACHABLE', "$host:$port does not answer") };
  alarm $connect_seconds;
  my $server = server($host, $port) or fail('UNREACHABLE', "$host:$port: $@");
  my ($magic, $style, $flags) = unpack('a8a8n', fully($server, 18));
  fail('UNREACHABLE', "$host:$port is not a server of NBD")
    if $magic ne 'NBDMAGIC' || $style ne 'IHAVEOPT' || !($flags & FIXED_NEWSTYLE);
  my $request = pack('N/a* n', $export, 0);
  syswrite($server, pack('N', $flags & (FIXED_NEWSTYLE | NO_ZEROES))
    . pack('a8NN', 'IHAVEOPT', OPT_GO, length $request) . $request);
  my ($size, $transmission);
  while (1) {
    my (undef, undef, $type, $length) = unpack('Q>NNN', fully($server, 20));
    fail('IO', "$host:$port: an option reply has $length bytes") if $length > $largest_reply;
    my $data = $length ? fully($server, $length) : '';
    last if $type == REP_ACK;
    fail('UNREACHABLE', "$host:$port refuses the export $export: $data") if $type & REP_ERROR;
    if ($type == REP_INFO && unpack('n', $data) == INFO_EXPORT) {
      (undef, $size, $transmission) = unpack('nQ>n', $data);
    }
  }
  alarm 0;
  fail('IO', "$host:$port: the size of the export $export is missing") if !defined $size;
  return ($server, $size, $transmission);
}

sub sockets {
  my ($server) = @_;
  my $item = u32(NBD_SOCK_FD, fileno($server));
  return attribute(NBD_ATTR_SOCKETS | NLA_F_NESTED, attribute(NBD_SOCK_ITEM | NLA_F_NESTED, $item));
}

# --- devices --------------------------------------------------------------------------------

sub content {
  my ($file) = @_;
  open(my $handle, '<', $file) or return '';
  my $line = <$handle> // '';
  close $handle;
  $line =~ s/\s+$//;
  return $line;
}

sub backend { return content("/sys/block/nbd$_[0]/backend") }

sub found {
  my ($index) = @_;
  print "$index ", content("/sys/block/nbd$index/dev"), "\n";
}

sub find {
  my ($backend) = @_;
  for my $folder (glob '/sys/block/nbd*') {
    my $index = substr($folder, length '/sys/block/nbd');
    return found($index) if backend($index) eq $backend;
  }
}

sub connect_device {
  my ($backend, $host, $port, $export, $timeout, $dead) = @_;
  my $family = family();
  my ($server, $size, $flags) = negotiate($host, $port, $export);
  my ($error, %reply) = call($family, NBD_CMD_CONNECT,
    u64(NBD_ATTR_SIZE_BYTES, $size) . u64(NBD_ATTR_BLOCK_SIZE_BYTES, 512)
    . u64(NBD_ATTR_SERVER_FLAGS, $flags) . u64(NBD_ATTR_TIMEOUT, $timeout)
    . u64(NBD_ATTR_DEAD_CONN_TIMEOUT, $dead)
    . attribute(NBD_ATTR_BACKEND_IDENTIFIER, "$backend\0") . sockets($server));
  fail('IO', 'the kernel refuses a device: ' . text($error)) if $error;
  found(unpack('L', $reply{+NBD_ATTR_INDEX}));
}

# Starts a flush of the device, which ends when the export has answered it.
sub start_flush {
  my ($index) = @_;
  my $child = fork // fail('IO', "fork: $!");
  return $child if $child;
  close $_ for \*STDIN, \*STDOUT, \*STDERR;
  sysopen(my $device, "/dev/nbd$index", O_RDWR) or POSIX::_exit(1);
  POSIX::_exit($device->sync ? 0 : 1);
}

# Offers the kernel a connection, which it takes only in the place of a lost one. Its reply does not
# tell whether it did; but it gives a connection that it takes the time limit of requests.
sub offered {
  my ($family, $index, $backend, $server, $attributes) = @_;
  my ($error) = call($family, NBD_CMD_RECONFIGURE,
    u32(NBD_ATTR_INDEX, $index) . $attributes
    . attribute(NBD_ATTR_BACKEND_IDENTIFIER, "$backend\0") . sockets($server));
  fail('IO', 'the kernel refuses the connection: ' . text($error)) if $error;
  my ($seconds, $micros) = unpack('l!l!', getsockopt($server, SOL_SOCKET, SO_SNDTIMEO));
  return $seconds + $micros > 0;
}

sub answered {
  my ($child, $index) = @_;
  for my $part (1 .. 20) {
    if (waitpid($child, POSIX::WNOHANG()) == $child) {
      fail('IO', "/dev/nbd$index: a flush failed") if $?;
      return 1;
    }
    select(undef, undef, undef, 0.05);
  }
  return 0;
}

# The kernel may see the loss of a connection only when a request has no answer within its time. So a
# flush is started first. The device gets one connection: the server may still work on requests of
# that one when it is lost, and would execute them after those that are sent again.
sub reconnect {
  my ($index, $backend, $host, $port, $export, $timeout) = @_;
  my $family = family();
  fail('NOT_FOUND', "/dev/nbd$index is not the device of $backend") if backend($index) ne $backend;
  my $child;
  my $taken = 0;
  for my $attempt (1 .. $timeout + 5) {
    if (!$taken) {
      my ($server, $size) = negotiate($host, $port, $export);
      $taken = offered($family, $index, $backend, $server,
        u64(NBD_ATTR_SIZE_BYTES, $size) . u64(NBD_ATTR_TIMEOUT, $timeout));
    }
    $child //= start_flush($index);
    next if !answered($child, $index);
    return found($index) if $taken;
    undef $child; # the former connection has answered it
  }
  fail('TIMEOUT', "$host:$port: the export $export does not answer a flush") if $taken;
  fail('UNREACHABLE', "/dev/nbd$index does not lose its former connection");
}

# Offers a connection that ends at once: the kernel takes it when the present one is lost.
sub lost {
  my ($prefix) = @_;
  for my $folder (glob '/sys/block/nbd*') {
    my $index = substr($folder, length '/sys/block/nbd');
    my $backend = backend($index);
    next if index($backend, $prefix) != 0;
    socketpair(my $offer, my $other, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or fail('IO', "socketpair: $!");
    print "$backend\n" if offered(family(), $index, $backend, $offer, '');
    close $_ for $offer, $other;
  }
}

sub disconnect {
  my ($index, $backend) = @_;
  return if backend($index) ne $backend;
  sysopen(my $device, "/dev/nbd$index", O_RDONLY | O_EXCL)
    or fail($! == EBUSY ? 'BUSY' : 'IO', "/dev/nbd$index: $!");
  my ($error) = call(family(), NBD_CMD_DISCONNECT, u32(NBD_ATTR_INDEX, $index));
  fail('IO', "the kernel keeps /dev/nbd$index: " . text($error)) if $error && $error != EINVAL;
}

my ($action, @values) = @ARGV;
my %actions = (find => \&find, connect => \&connect_device, reconnect => \&reconnect,
  lost => \&lost, disconnect => \&disconnect);
$actions{$action}->(@values);
