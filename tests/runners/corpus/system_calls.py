# expect: ok
from harmless import answer, blocked, syscall

CALLS = {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "add_key": 248,
         "request_key": 249, "keyctl": 250, "kexec_load": 246, "init_module": 175,
         "delete_module": 176, "reboot": 169, "swapon": 167, "syslog": 103, "acct": 163,
         "name_to_handle_at": 303, "open_by_handle_at": 304, "fanotify_init": 300,
         "iopl": 172, "modify_ldt": 154, "quotactl": 179, "memfd_secret": 447}
for name, number in CALLS.items():
    try:
        result = syscall(number, 0, 0, 0, 0, 0)
    except PermissionError as error:
        print("blocked:", name, error)
    else:
        print("ESCAPED:", name, result)
answer()
