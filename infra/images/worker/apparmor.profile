# What a worker's container may do, for AppArmor: all with the container's own files, and the mounts of which bubblewrap makes jails. Jailed
# servers have it, too; jails and system calls restrict them further. It closes what of /proc and /sys is not covered by mounts here, since the
# kernel lets jails have a /proc of their own only where nothing of the container's is covered.
# Each host loads it by: apparmor_parser --replace apparmor.profile
abi <abi/3.0>,
include <tunables/global>

profile perigee-worker flags=(attach_disconnected, mediate_deleted) {
  file,
  network inet,
  network inet6,
  network netlink,
  network unix,
  # Those of the user namespaces of jails. The container itself has none but what compose file or chart add.
  capability,

  # It ends what the container runs and reads what that uses. Nothing is traced.
  signal (send, receive) peer=@{profile_name},
  signal (receive) peer={unconfined,runc,crun},
  ptrace (read, readby) peer=@{profile_name},

  # Mounts of jails, with the flags of bubblewrap. One that changes how mounts spread cannot be told from a new mount that has its flag
  # "silent" alone, so what user namespaces could mount besides is denied.
  mount fstype=(devpts, mqueue, proc, tmpfs),
  mount options in (bind, rbind, remount, noatime, nodev, nodiratime, noexec, nosuid, relatime, ro, rw, silent),
  mount options=(rw, silent, make-rslave),
  mount options=(rw, silent, make-rprivate),
  deny mount fstype=(binfmt_misc, bpf, cgroup, cgroup2, fuse, fuse.*, overlay, ramfs, sysfs),
  umount,
  pivot_root,

  deny @{PROC}/{acpi,asound,bus,fs,irq,scsi,tty}/** wklx,
  deny @{PROC}/{kcore,keys,latency_stats,sched_debug,sysrq-trigger,timer_list,timer_stats} rwklx,
  deny @{PROC}/sys/{abi,debug,dev,fs,kernel,vm}/** wklx,
  deny /sys/{block,bus,class,dev,devices,hypervisor,kernel,module,power}/** wklx,
  deny /sys/{firmware,kernel/debug,kernel/security,kernel/tracing}/{,**} rwklx,
  deny /sys/fs/[^c]*/** wklx,
}
